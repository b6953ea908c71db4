/** Reads the facts of the overview. */
import {
  hasBatches,
  readOpenBatches,
  readPausedBatches,
  readTroubledCallbacks,
} from '../../batch/alerts/alert-store.ts';
import { findOpenPayment } from '../../credits/billing/payment-store.ts';
import { readCredits } from '../../credits/history/ledger-store.ts';
import { readRunningLow } from '../../credits/low/running-low.ts';
import { listActiveKeys } from '../../keys/manage/manage-keys-store.ts';
import { readDailyCounts, readRefusals, readSources } from '../../usage/usage-store.ts';
import { missingCreditsWords, moreCreditsWords } from '../more-credits-words.ts';
import type { DashboardDeps } from '../visit.ts';

/** The days of each chart, including today. */
export const DAYS = 30;
const MOST_BATCHES = 5;
const MOST_PAUSES = 3;
const MOST_CALLBACKS = 3;
const MOST_REFUSALS = 3;
/** Older refusals have ended, or the owner knows about them. */
const REFUSAL_DAYS = 7;

/** One query after another, because a page that updates itself must not take the connections of requests. */
export async function readFacts(
  deps: Pick<DashboardDeps, 'db' | 'settings' | 'live' | 'isPortClosed' | 'lists'>,
  accountId: string,
) {
  const { db } = deps;
  const credits = await readCredits(db, accountId, DAYS + 1);
  // The account was deleted meanwhile.
  if (!credits) return undefined;
  return {
    credits,
    /** The banner of every page says it. */
    isLow: (await readRunningLow(db, accountId, deps.settings)) !== undefined,
    payment: await findOpenPayment(db, accountId),
    moreCredits: moreCreditsWords(deps, accountId),
    /** For an account without credits. */
    missingCredits: missingCreditsWords(deps, accountId, 0),
    keys: await listActiveKeys(db, accountId),
    sources: await readSources(db, accountId),
    results: await readDailyCounts(db, accountId, { mode: 'live', days: DAYS }),
    testResults: await readDailyCounts(db, accountId, { mode: 'test', days: DAYS }),
    batches: await readOpenBatches(db, accountId, MOST_BATCHES),
    pauses: await readPausedBatches(db, accountId, MOST_PAUSES),
    hasBatches: await hasBatches(db, accountId),
    callbacks: await readTroubledCallbacks(db, accountId, MOST_CALLBACKS),
    refusals: await readRefusals(db, accountId, { days: REFUSAL_DAYS, limit: MOST_REFUSALS }),
    isPortClosed: deps.isPortClosed(),
    isLive: deps.live !== undefined,
    lists: deps.lists(),
    pausedBatch: deps.settings.durations.pausedBatch,
  };
}

export type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>>;
