/** Reads whether the credits of an account run low. */
import type { Settings } from '../../config/load-settings.ts';
import type { Db } from '../../database/schema.ts';
import { isPaidFor } from '../billing/payment-store.ts';
import { readCredits } from '../history/ledger-store.ts';
import { findRunningLow, type RunningLow, WEEK } from './last-week.ts';

/** What decides it, beside the use of the credits. */
export type LowRules = Pick<Settings, 'lowCredits' | 'billing'>;

/** @returns undefined if the account has enough, or if billing pays for it before it would miss any */
export async function readRunningLow(
  db: Db,
  accountId: string,
  { lowCredits, billing }: LowRules,
): Promise<RunningLow | undefined> {
  const credits = await readCredits(db, accountId, WEEK);
  const low = credits && findRunningLow(credits, lowCredits);
  if (!low || !billing) return low;
  return (await isPaidFor(db, accountId, billing.publicKeys)) ? undefined : low;
}
