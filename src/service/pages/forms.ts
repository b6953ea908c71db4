/** Reads the forms of the pages. */
import type { FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import { sentForm } from '../http/parameters.ts';
import { isFormToken } from '../sessions/cookie-value.ts';
import type { Html } from './html.ts';
import { hidden } from './layout.ts';

const TOKEN = 'form_token';

/** The hidden field that every form of a page needs. */
export const formToken = ({ browser }: FastifyRequest): Html[] => hidden([[TOKEN, browser.formToken]]);

/** A form that was sent. */
export interface SentForm {
  readonly fields: ReadonlyMap<string, string>;
  /** Whether this browser was shown the form. If not, change nothing, and show it again. */
  readonly isOwn: boolean;
}

/** @throws {Failure} for what is not a form */
export function readForm(request: FastifyRequest): SentForm {
  const fields = new Map<string, string>();
  for (const [field, value] of sentForm(request)) {
    if (fields.has(field)) throw new Failure('badRequest', `Expected the field ${field} once.`);
    fields.set(field, value);
  }
  const isOwn = isFormToken(fields.get(TOKEN), request.browser.value);
  fields.delete(TOKEN);
  return { fields, isOwn };
}
