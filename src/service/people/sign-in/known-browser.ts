/**
 * Recognises browsers in which the account has signed in before. Wrong passwords from other browsers do not delay them,
 * so an attacker who guesses all day cannot lock the owner out.
 *
 * The token is computed from the stored hash of the password. So it needs no storage, cannot be forged, and becomes
 * invalid when the password changes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

interface Account {
  readonly id: string;
  readonly password_hash: string;
}

const TOKEN = /^([\w-]{22})\.([\w-]{43})$/;

/** A token for a browser in which the account has signed in. */
export function makeBrowserToken(account: Account): string {
  const browser = randomBytes(16).toString('base64url');
  return `${browser}.${signatureOf(browser, account)}`;
}

/** @returns the identifier of the browser, or `undefined` if the account has never signed in there */
export function readBrowserToken(token: string | undefined, account: Account): string | undefined {
  const [, browser, signature] = TOKEN.exec(token ?? '') ?? [];
  if (browser === undefined || signature === undefined) return undefined;
  const expected = signatureOf(browser, account);
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? browser : undefined;
}

const signatureOf = (browser: string, { id, password_hash }: Account): string =>
  createHmac('sha256', password_hash).update(`known browser ${browser} of ${id}`).digest('base64url');
