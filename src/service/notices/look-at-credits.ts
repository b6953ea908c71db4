/** Finds accounts whose credits begin to run low, and those that have enough again. */
import { type LowRules, readRunningLow } from '../credits/low/running-low.ts';
import type { Db } from '../database/schema.ts';
import { endLook, holdDueLook } from './notice-store.ts';

/**
 * Looks at one account with a notice URL whose credits have changed. Its notice is made once: the next one follows only
 * after a look has found enough credits. Several processes may look at the same time.
 *
 * @returns whether there may be more to look at
 */
export async function lookAtCredits(db: Db, rules: LowRules): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const due = await holdDueLook(transaction);
    if (!due) return false;
    const { account_id, is_told } = due;
    const low = await readRunningLow(transaction, account_id, rules);
    if (low && !is_told) await endLook(transaction, account_id, low);
    else await endLook(transaction, account_id, low ? undefined : 'nothing');
    return true;
  });
}
