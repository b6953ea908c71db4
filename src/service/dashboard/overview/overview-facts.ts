/** Reads the facts of the overview. */
import { hasBatches, readOpenBatches, readTroubledCallbacks } from '../../batch/alerts/alert-store.ts';
import { readCredits } from '../../credits/history/ledger-store.ts';
import { listKeys } from '../../keys/key-store.ts';
import { readDailyCounts, readRefusals, readSources } from '../../usage/usage-store.ts';
import type { DashboardDeps } from '../visit.ts';

/** The days of each chart, including today. */
export const DAYS = 30;
const MOST_BATCHES = 5;
const MOST_CALLBACKS = 3;
const MOST_REFUSALS = 3;
/** Older refusals have ended, or the owner knows about them. */
const REFUSAL_DAYS = 7;

/** One query after another, because a page that updates itself must not take the connections of requests. */
export async function readFacts(deps: DashboardDeps, accountId: string) {
  const { db } = deps;
  const credits = await readCredits(db, accountId, DAYS + 1);
  // The account was deleted meanwhile.
  if (!credits) return undefined;
  const keys = await listKeys(db, accountId);
  return {
    credits,
    keys: keys.filter(({ revoked_at }) => revoked_at === null),
    sources: await readSources(db, accountId),
    results: await readDailyCounts(db, accountId, { mode: 'live', days: DAYS }),
    testResults: await readDailyCounts(db, accountId, { mode: 'test', days: DAYS }),
    batches: await readOpenBatches(db, accountId, MOST_BATCHES),
    hasBatches: await hasBatches(db, accountId),
    callbacks: await readTroubledCallbacks(db, accountId, MOST_CALLBACKS),
    refusals: await readRefusals(db, accountId, { days: REFUSAL_DAYS, limit: MOST_REFUSALS }),
    isPortClosed: deps.isPortClosed(),
    isLive: deps.live !== undefined,
    findings: deps.findings(),
  };
}

export type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>>;
