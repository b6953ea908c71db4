/** Reads whether the credits of an account run low. */
import type { Settings } from '../../config/load-settings.ts';
import type { Db } from '../../database/schema.ts';
import { readCredits } from '../history/ledger-store.ts';
import { findRunningLow, type RunningLow, WEEK } from './last-week.ts';

/** What decides it, beside the use of the credits. Billing does not: that it has paid says nothing of the next payment. */
export type LowRules = Pick<Settings, 'lowCredits'>;

/** @returns undefined if the account has enough */
export async function readRunningLow(
  db: Db,
  accountId: string,
  { lowCredits }: LowRules,
): Promise<RunningLow | undefined> {
  const credits = await readCredits(db, accountId, WEEK);
  return credits && findRunningLow(credits, lowCredits);
}
