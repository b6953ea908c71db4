/** The random value in a browser's cookie, and the form token that is derived from it. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const BYTES = 32;
const VALUE = /^[\w-]{43}$/;

/** A value that cannot be guessed. */
export const makeValue = (): string => randomBytes(BYTES).toString('base64url');

/** Whether the value has the format of this service. */
export const isValue = (text: string | undefined): text is string => text !== undefined && VALUE.test(text);

/** The session's id in the database. */
export const digestOf = (value: string): Buffer => createHash('sha256').update(value).digest();

/**
 * The token in the forms for the browser with this cookie. It is computed, so the database stores no secret for it. The
 * cookie cannot be derived from it.
 */
export const formTokenOf = (value: string): string =>
  createHmac('sha256', value).update('form token').digest('base64url');

/** Whether a form with this token was shown to the browser with this cookie. */
export function isFormToken(token: string | undefined, value: string): boolean {
  const given = Buffer.from(token ?? '');
  const expected = Buffer.from(formTokenOf(value));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
