/**
 * Recognises browsers in which the person has signed in before. Wrong passwords from other browsers do not delay them,
 * so an attacker who guesses all day cannot lock the person out.
 *
 * The browser has a random token in a cookie of its own, which outlives the session. The database has its digest. A new
 * password ends all tokens, and a person can end each.
 */
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { isValue } from '../sessions/cookie-value.ts';
import { isKnownBrowser } from '../sessions/known-browser-store.ts';

/** Browsers limit the lifetime of cookies to about this. */
export const KNOWN_BROWSER = { name: 'known-browser', seconds: 365 * 24 * 60 * 60 };

/** @returns the id of the browser, or `undefined` if the person has never signed in there, or has ended it */
export async function recogniseBrowser(
  db: Db,
  personId: string,
  token: string | undefined,
): Promise<Buffer | undefined> {
  if (!isValue(token)) return undefined;
  const id = digestOf(token);
  return (await isKnownBrowser(db, personId, id)) ? id : undefined;
}
