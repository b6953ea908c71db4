/**
 * Sessions of signed-in people. The browser has a random value in a cookie. The database has only its digest, so a
 * reader of the database cannot use a session. All times use the database's clock.
 */

import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { makeValue } from './cookie-value.ts';
import { confirmSession, endSession, findSession, insertSession, type SignedIn } from './session-store.ts';

export type { SignedIn } from './session-store.ts';

export interface Sessions {
  /** @param value the cookie's value @returns `undefined` if it has no session, or the session has ended */
  find(value: string): Promise<SignedIn | undefined>;
  /**
   * Starts a session with a new value, so that a value planted in a browser is useless (session fixation).
   *
   * @param db the transaction to join @default none
   * @returns the value, or `undefined` if the password has been changed since it was checked
   */
  begin(account: CheckedAccount, browser: BrowserOfSession, db?: Db): Promise<string | undefined>;
  /** Records that the person has typed the password again. @returns whether the account has this session */
  confirm(value: string, accountId: string): Promise<boolean>;
  end(value: string): Promise<void>;
}

/** An account whose password was just checked. */
export interface CheckedAccount {
  readonly id: string;
  readonly password_hash: string;
}

/** The browser of a sign-in. */
export interface BrowserOfSession {
  /** The browser's previous value. Its session ends. */
  readonly replaced: string;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
}

/** @param seconds how long a session lasts */
export function createSessions(db: Db, seconds: number): Sessions {
  return {
    find: (value) => findSession(db, digestOf(value)),
    async begin({ id, password_hash }, { replaced, userAgent }, transaction = db) {
      const value = makeValue();
      const session = { accountId: id, passwordHash: password_hash, seconds, userAgent };
      const isBegun = await insertSession(transaction, {
        ...session,
        id: digestOf(value),
        replaces: digestOf(replaced),
      });
      return isBegun ? value : undefined;
    },
    confirm: (value, accountId) => confirmSession(db, digestOf(value), accountId),
    end: (value) => endSession(db, digestOf(value)),
  };
}
