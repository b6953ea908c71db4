/** Gives the batches of test keys their sample results. */
import type { Verifier } from '../../engine/verifier.ts';
import { nextTurn } from '../core/steps.ts';
import type { Deps } from '../deps/deps.ts';
import type { UsageCounter } from '../usage/usage-counter.ts';
import {
  completeBatch,
  lockOpenRows,
  type OpenRow,
  openSamples,
  type PlacedResult,
  type StoredResults,
  storeResults,
} from './batch-store.ts';
import { toBatchResult } from './result-fields.ts';

/** The results of one transaction. */
const CHUNK = 500;
/** How many results one turn of the event loop computes. It takes about 5 ms, while requests wait. */
const MOST_VERIFIED = 50;
const MOST_BATCHES = 20;

type SamplesDeps = Pick<Deps, 'db' | 'sampleVerifier' | 'settings' | 'usage' | 'wakeCallbacks'>;

/** Computes the results, without a round trip. */
export async function verifySamples(verifier: Verifier, rows: readonly OpenRow[]): Promise<PlacedResult[]> {
  const results: PlacedResult[] = [];
  for (const [index, { place, address }] of rows.entries()) {
    if (index % MOST_VERIFIED === 0) await nextTurn();
    const { result } = await verifier({ address, smtp: true, acceptAll: false, timeoutMs: 0 });
    if (!result) throw new Error('A sample verifier for batches has a result for every address.');
    results.push({ place, result: toBatchResult(result) });
  }
  return results;
}

/** Call it after the commit. */
export function countStored(usage: UsageCounter, stored: readonly StoredResults[]): void {
  for (const { account_id, reason, count } of stored) {
    usage.countResult(account_id, 'batch', 'test', reason, count);
  }
}

/**
 * Works until no batch is open. Several processes may do it at once. Batches take turns, so that a large one does not
 * delay others.
 *
 * @param onChunk called after each chunk
 */
export async function workOff(
  deps: SamplesDeps,
  signal?: AbortSignal,
  onChunk: () => void = () => {},
): Promise<void> {
  let isDone = false;
  while (!isDone && !signal?.aborted) {
    isDone = true;
    for (const id of await openSamples(deps.db, MOST_BATCHES)) {
      if (signal?.aborted) return;
      if (await workOnChunk(deps, id)) isDone = false;
      onChunk();
    }
  }
}

/** @returns false if no work was left for this process */
async function workOnChunk(
  { db, sampleVerifier, settings, usage, wakeCallbacks }: SamplesDeps,
  id: string,
): Promise<boolean> {
  const { found, stored } = await db.transaction().execute(async (transaction) => {
    // A dying process releases its locks.
    const rows = await lockOpenRows(transaction, id, CHUNK);
    const results = await verifySamples(sampleVerifier, rows);
    return {
      found: rows.length,
      stored: rows.length > 0 ? await storeResults(transaction, id, results) : [],
    };
  });
  countStored(usage, stored);
  if (found < CHUNK && (await completeBatch(db, id, settings.durations))) wakeCallbacks();
  return found > 0;
}
