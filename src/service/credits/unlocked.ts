/** Waits for locked accounts outside the database, so that their requests hold up no others. */
import { holdBusy } from '../database/hold-busy.ts';
import type { Db } from '../database/schema.ts';
import { isLocked } from './credit-store.ts';

/** How many requests of an account look together. Each takes a connection. */
const MOST_TOGETHER = 2;

/** Resolves when nobody has locked the account. */
export type UntilUnlocked = (accountId: string) => Promise<void>;

/**
 * Each process has one. Call it before a transaction that changes the account's credits.
 *
 * @returns rejects with a `LockedError` if the account stays locked
 */
export function createUntilUnlocked(db: Db): UntilUnlocked {
  const looks = holdBusy((accountId: string) => isLocked(db, accountId), {
    subjectOf: (accountId) => accountId,
    isBusy: (locked) => locked,
    most: MOST_TOGETHER,
  });
  return async (accountId) => void (await looks.run(accountId));
}
