/** The random value that a browser holds in its cookie, and the token of forms that follows from it. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const BYTES = 32;
const VALUE = /^[\w-]{43}$/;

/** A value that nobody can guess. */
export const makeValue = (): string => randomBytes(BYTES).toString('base64url');

/** Whether the value can be one of ours. */
export const isValue = (text: string | undefined): text is string => text !== undefined && VALUE.test(text);

/** What the database calls the session of the value. */
export const digestOf = (value: string): Buffer => createHash('sha256').update(value).digest();

/**
 * What the forms carry that are shown to the browser with this cookie. It is computed, so the database holds no secret
 * for it, and the cookie cannot be found out from it.
 */
export const formTokenOf = (value: string): string =>
  createHmac('sha256', value).update('form token').digest('base64url');

/** Whether a form with this token was shown to the browser with this cookie. */
export function isFormToken(token: string | undefined, value: string): boolean {
  const given = Buffer.from(token ?? '');
  const expected = Buffer.from(formTokenOf(value));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
