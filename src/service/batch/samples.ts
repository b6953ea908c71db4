/** Gives the batches of test keys their sample results. */
import type { Verifier } from '../../engine/verifier.ts';
import { nextTurn } from '../../shared/steps.ts';
import { isLocked } from '../credits/credit-store.ts';
import type { Deps } from '../deps/deps.ts';
import { completeBatch, lockOpenRows, type OpenRow, type PlacedResult, storeResults } from './batch-store.ts';
import { toBatchResult } from './result-fields.ts';
import { doneBatches, endTurns, nextBatches, waitingAccounts } from './turns/turn-store.ts';

/** The results of one transaction. */
const CHUNK = 500;
/** How many results one turn of the event loop computes. It takes about 5 ms, while requests wait. */
const MOST_VERIFIED = 50;
/** How many batches get a chunk before it is looked for others, which come first if they have waited longer. */
const MOST_BATCHES = 4;

type SamplesDeps = Pick<Deps, 'db' | 'sampleVerifier' | 'settings' | 'wakeCallbacks'>;

/** Computes the results, without a round trip. */
export async function verifySamples(verifier: Verifier, rows: readonly OpenRow[]): Promise<PlacedResult[]> {
  const results: PlacedResult[] = [];
  for (const [index, { place, address, accept_all }] of rows.entries()) {
    if (index % MOST_VERIFIED === 0) await nextTurn();
    const { result } = await verifier({
      ...{ address, smtp: true, acceptAll: accept_all === true, timeoutMs: 0 },
    });
    if (!result) throw new Error('A sample verifier for batches has a result for every address.');
    results.push({ place, result: toBatchResult(result) });
  }
  return results;
}

/**
 * Works until no batch is open. Several processes may do it at once. Accounts take turns, and so do the batches of an
 * account, so that a large one does not delay others.
 *
 * @param onChunk called after each chunk
 */
export async function workOff(
  deps: SamplesDeps,
  signal?: AbortSignal,
  onChunk: () => void = () => {},
): Promise<void> {
  const { db, settings, wakeCallbacks } = deps;
  let isDone = false;
  while (!isDone && !signal?.aborted) {
    isDone = true;
    const accounts = await waitingAccounts(db, 'test', MOST_BATCHES);
    const batches = Math.ceil(MOST_BATCHES / Math.max(1, accounts.length));
    const shares = accounts.map((accountId) => ({ accountId, most: CHUNK * batches, batches }));
    const next = await nextBatches(db, 'test', shares);
    const ids = next.map(({ id }) => id);
    try {
      for (const id of ids) {
        if (signal?.aborted) return;
        if (await workOnChunk(deps, id)) isDone = false;
        onChunk();
      }
    } finally {
      // Also after a failure, so that others get their turns.
      await endTurns(db, 'test', accounts, ids);
    }
    for (const { id, account_id } of await doneBatches(db, 'test')) {
      // A locked account does not delay others. A later look finds its batches again.
      if (await isLocked(db, account_id)) continue;
      if (await completeBatch(db, id, settings.durations)) wakeCallbacks();
    }
  }
}

/** @returns false if no work was left for this process */
async function workOnChunk({ db, sampleVerifier }: SamplesDeps, id: string): Promise<boolean> {
  const found = await db.transaction().execute(async (transaction) => {
    // A dying process releases its locks.
    const rows = await lockOpenRows(transaction, id, CHUNK);
    const results = await verifySamples(sampleVerifier, rows);
    if (rows.length > 0) await storeResults(transaction, id, results);
    return rows.length;
  });
  return found > 0;
}
