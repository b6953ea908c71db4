/**
 * Sessions of signed-in people. The browser has a random value in a cookie. The database has only its digest, so a
 * reader of the database cannot use a session. All times use the database's clock.
 */

import { digestOf } from '../../../shared/sha256.ts';
import type { Deps } from '../../deps/deps.ts';
import { makeValue } from './cookie-value.ts';
import { insertSession } from './session-store.ts';

/** A person who has proved who they are. */
export interface CheckedPerson {
  readonly id: string;
  /** The hash that the password was checked against. Absent if the person has signed in in another way. */
  readonly checkedHash?: string | undefined;
}

/** The browser of a sign-in. */
export interface BrowserOfSession {
  /** The browser's previous value. Its session ends. */
  readonly replaced: string;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
}

/**
 * Starts a session with a new value, so that a value planted in a browser is useless (session fixation).
 *
 * @returns the value, or `undefined` if the password has been changed since it was checked
 */
export async function beginSession(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  { id, checkedHash }: CheckedPerson,
  { replaced, userAgent }: BrowserOfSession,
): Promise<string | undefined> {
  const value = makeValue();
  const isBegun = await insertSession(db, {
    id: digestOf(value),
    replaces: digestOf(replaced),
    personId: id,
    passwordHash: checkedHash,
    seconds: settings.durations.session,
    userAgent,
  });
  return isBegun ? value : undefined;
}
