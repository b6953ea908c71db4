/**
 * Sessions of people who have signed in. A browser holds a random value in a cookie. The database holds its digest only,
 * so whoever reads the database cannot use a session. All times are those of the database's clock.
 */
import type { Db } from '../database/schema.ts';
import { digestOf, makeValue } from './cookie-value.ts';
import { endSession, findSession, insertSession, type SignedIn } from './store.ts';

export type { SignedIn } from './store.ts';

export interface Sessions {
  /** @param value the cookie's value @returns `undefined` if nobody has signed in with it, or the session has ended */
  find(value: string): Promise<SignedIn | undefined>;
  /**
   * Begins a session with a value that no browser had before, so that a value planted in a browser is of no use
   * (session fixation).
   *
   * @param db a transaction that this is part of @default none
   * @returns the value, or `undefined` if the password has been changed since it was checked
   */
  begin(account: CheckedAccount, browser: BrowserOfSession, db?: Db): Promise<string | undefined>;
  end(value: string): Promise<void>;
}

/** An account whose password was right a moment ago. */
export interface CheckedAccount {
  readonly id: string;
  readonly password_hash: string;
}

/** Where somebody signs in. */
export interface BrowserOfSession {
  /** The value that it had. Its session ends. */
  readonly replaced: string;
  /** What it says of itself. */
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
    end: (value) => endSession(db, digestOf(value)),
  };
}
