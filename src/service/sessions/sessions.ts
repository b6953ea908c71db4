/**
 * Sessions of people who have signed in. A browser holds a random value in a cookie. The database holds its digest only,
 * so whoever reads the database cannot use a session. All times are those of the database's clock.
 */
import { createHash } from 'node:crypto';
import type { Db } from '../database/schema.ts';
import { makeValue } from './cookie-value.ts';
import { endSession, findSession, insertSession, type SignedIn } from './store.ts';

export type { SignedIn } from './store.ts';

export interface Sessions {
  /** @param value the cookie's value @returns `undefined` if nobody has signed in with it, or the session has ended */
  find(value: string): Promise<SignedIn | undefined>;
  /**
   * Begins a session with a value that no browser had before, so that a value planted in a browser is of no use
   * (session fixation).
   *
   * @param replaced the value that the browser had. Its session ends.
   * @returns the value, or `undefined` if the password has been changed since it was checked
   */
  begin(account: CheckedAccount, replaced: string): Promise<string | undefined>;
  end(value: string): Promise<void>;
}

/** An account whose password was right a moment ago. */
export interface CheckedAccount {
  readonly id: string;
  readonly password_hash: string;
}

/** @param seconds how long a session lasts */
export function createSessions(db: Db, seconds: number): Sessions {
  return {
    find: (value) => findSession(db, digestOf(value)),
    async begin({ id, password_hash }, replaced) {
      const value = makeValue();
      const session = { accountId: id, passwordHash: password_hash, seconds };
      const isBegun = await insertSession(db, {
        ...session,
        id: digestOf(value),
        replaces: digestOf(replaced),
      });
      return isBegun ? value : undefined;
    },
    end: (value) => endSession(db, digestOf(value)),
  };
}

const digestOf = (value: string): Buffer => createHash('sha256').update(value).digest();
