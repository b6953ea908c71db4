/** Reads the forms of the pages, and tells them from those of other sites (cross-site request forgery). */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import { sentForm } from '../http/parameters.ts';
import { isFormToken } from '../sessions/cookie-value.ts';
import type { Html } from './html.ts';
import { hidden } from './layout.ts';
import type { Site } from './site.ts';

const TOKEN = 'form_token';

/** The hidden field that every form of a page needs. */
export const formToken = ({ browser }: FastifyRequest): Html[] => hidden([[TOKEN, browser.formToken]]);

/** A form that was sent. */
export interface SentForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Whether this browser was shown the form. If not, change nothing, and show it again. */
  readonly isOwn: boolean;
}

/** @throws {Failure} for a form of another site, and for what is not a form */
export function readForm(request: FastifyRequest, site: Site): SentForm {
  refuseOtherSites(request, site);
  const fields = new Map<string, string>();
  for (const [field, value] of sentForm(request)) {
    if (fields.has(field)) throw new Failure('badRequest', `Expected the field ${field} once.`);
    fields.set(field, value);
  }
  const isOwn = isFormToken(fields.get(TOKEN), request.browser.value);
  fields.delete(TOKEN);
  return { fields, isOwn };
}

/**
 * Browsers say where a form comes from. Those that do not are held to the token alone.
 *
 * The pages send no referrer, and therefore an `Origin` of `null` with their own forms (Fetch, "append a request
 * `Origin` header"). It says as little as none.
 */
function refuseOtherSites({ headers, host }: FastifyRequest, site: Site): void {
  const { origin, 'sec-fetch-site': relation = 'same-origin' } = headers;
  const isOwn = origin === undefined || origin === 'null' || origin === site.origin || isOf(origin, host);
  // `none`: the person reloads the response to a form.
  if (!isOwn || !/^(same-origin|none)$/.test(String(relation))) throw new Failure('formOfOtherSite');
}

/** Whether the host is that of the origin. A default port may be left out. */
function isOf(origin: string, host: string): boolean {
  if (!/^https?:/.test(origin) || !URL.canParse(origin)) return false;
  const { protocol, host: expected } = new URL(origin);
  const reached = `${protocol}//${host}`;
  return URL.canParse(reached) && new URL(reached).host === expected;
}
