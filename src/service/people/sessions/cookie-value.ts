/** The random value in a browser's cookie, and the form token that is derived from it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const BYTES = 32;
const VALUE = /^[\w-]{43}$/;

/** A value that cannot be guessed. */
export const makeValue = (): string => randomBytes(BYTES).toString('base64url');

/** Whether the value has the format of this service. */
export const isValue = (text: string | undefined): text is string => text !== undefined && VALUE.test(text);

/**
 * The token in the forms for the browser with this cookie. It is computed, so the database stores no secret for it. The
 * cookie cannot be derived from it.
 *
 * @param accountId the account that the pages are about. A form of one account is never carried out in another that the
 * person has switched to since
 */
export const formTokenOf = (value: string, accountId = ''): string =>
  signWith(value, `form token ${accountId}`);

/** Whether a form with this token was shown to the browser with this cookie, in this account. */
export const isFormToken = (token: string | undefined, value: string, accountId?: string): boolean =>
  isSame(token, formTokenOf(value, accountId));

/** The token of a form that asks about something. It proves what the browser with this cookie was shown. */
export const questionTokenOf = (value: string, shown: readonly string[]): string =>
  signWith(value, `question ${JSON.stringify(shown)}`);

/** Whether the browser with this cookie was asked about exactly this. */
export const isQuestionToken = (
  token: string | undefined,
  value: string,
  shown: readonly string[],
): boolean => isSame(token, questionTokenOf(value, shown));

const signWith = (value: string, text: string): string =>
  createHmac('sha256', value).update(text).digest('base64url');

function isSame(token: string | undefined, right: string): boolean {
  const given = Buffer.from(token ?? '');
  const expected = Buffer.from(right);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
