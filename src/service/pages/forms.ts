/** Reads the forms of the pages. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import { bodyParameters } from '../http/parameters.ts';
import { isFormToken } from '../sessions/cookie-value.ts';
import type { Html } from './html.ts';
import { hidden } from './layout.ts';

const TOKEN = 'form_token';
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** The hidden field that every form of a page needs. */
export const formToken = ({ browser }: FastifyRequest): Html[] => hidden([[TOKEN, browser.formToken]]);

/** A form that was sent. */
export interface SentForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Whether this browser was shown the form. If not, change nothing, and show it again. */
  readonly isOwn: boolean;
}

/** @throws {Failure} for what is not a form */
export async function readForm(request: FastifyRequest): Promise<SentForm> {
  if (!FORM.test(request.headers['content-type'] ?? ''))
    throw new Failure('bodyNotSupported', 'Expected a body of type application/x-www-form-urlencoded.');
  const fields = new Map<string, string>();
  for (const [field, values] of await bodyParameters(request)) {
    if (values.length > 1) throw new Failure('badRequest', `Expected the field ${field} once.`);
    fields.set(field, String(values[0]));
  }
  const isOwn = isFormToken(fields.get(TOKEN), request.browser.value);
  fields.delete(TOKEN);
  return { fields, isOwn };
}
