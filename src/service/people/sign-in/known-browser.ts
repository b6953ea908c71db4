/**
 * Recognises browsers in which the person has signed in before. Wrong passwords from other browsers do not delay them,
 * so an attacker who guesses all day cannot lock the person out.
 *
 * The token is computed from the stored hash of the password. So it needs no storage, cannot be forged, and becomes
 * invalid when the password changes.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Browsers limit the lifetime of cookies to about this. */
export const KNOWN_BROWSER = { name: 'known-browser', seconds: 365 * 24 * 60 * 60 };

interface Person {
  readonly id: string;
  /** Null for a person without a password, who has no such browsers. */
  readonly password_hash: string | null;
}

const TOKEN = /^([\w-]{22})\.([\w-]{43})$/;

/** A token for a browser in which the person has signed in. Undefined for a person without a password. */
export function makeBrowserToken({ id, password_hash }: Person): string | undefined {
  if (password_hash === null) return undefined;
  const browser = randomBytes(16).toString('base64url');
  return `${browser}.${signatureOf(browser, id, password_hash)}`;
}

/** @returns the identifier of the browser, or `undefined` if the person has never signed in there */
export function readBrowserToken(
  token: string | undefined,
  { id, password_hash }: Person,
): string | undefined {
  const [, browser, signature] = TOKEN.exec(token ?? '') ?? [];
  if (browser === undefined || signature === undefined || password_hash === null) return undefined;
  const expected = signatureOf(browser, id, password_hash);
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? browser : undefined;
}

const signatureOf = (browser: string, id: string, passwordHash: string): string =>
  createHmac('sha256', passwordHash).update(`known browser ${browser} of ${id}`).digest('base64url');
