/** Gives the batches of test keys their sample results. */
import type { Verifier } from '../../engine/verifier.ts';
import type { Db } from '../database/schema.ts';
import { toBatchResult } from './fields.ts';
import {
  completeBatch,
  lockOpenRows,
  type OpenRow,
  openSamples,
  type PlacedResult,
  type Retention,
  storeResults,
} from './store.ts';

/** A transaction makes as many results. It takes some 50 ms, in which requests wait. */
const CHUNK = 500;
const MOST_BATCHES = 20;

export interface SamplesOptions {
  readonly db: Db;
  /** Returns a result for every text, without the test addresses: they work at `/v1/verify` only. */
  readonly sampleVerifier: Verifier;
  readonly retention: Retention;
  /** Called when a batch was completed. */
  readonly onCompleted?: () => void;
  /** Called after each chunk. */
  readonly onChunk?: () => void;
}

/** Makes the results. It costs no round trip. */
export async function verifySamples(verifier: Verifier, rows: readonly OpenRow[]): Promise<PlacedResult[]> {
  const results: PlacedResult[] = [];
  for (const { place, address } of rows) {
    const { result } = await verifier({ address, smtp: true, acceptAll: false, timeoutMs: 0 });
    if (!result) throw new Error('A sample verifier for batches has a result for every address.');
    results.push({ place, result: toBatchResult(result) });
  }
  return results;
}

/** Works until no batch is open. Several processes may do it at once. The batches take turns, so that a large one holds up no other. */
export async function workOff(options: SamplesOptions, signal?: AbortSignal): Promise<void> {
  let isDone = false;
  while (!isDone && !signal?.aborted) {
    isDone = true;
    for (const id of await openSamples(options.db, MOST_BATCHES)) {
      if (signal?.aborted) return;
      if (await workOnChunk(options, id)) isDone = false;
    }
  }
}

/** @returns false if nothing was left for this process */
async function workOnChunk(
  { db, sampleVerifier, retention, onCompleted, onChunk }: SamplesOptions,
  id: string,
): Promise<boolean> {
  const found = await db.transaction().execute(async (transaction) => {
    // A process that dies releases its locks, and leaves no trace.
    const rows = await lockOpenRows(transaction, id, CHUNK);
    if (rows.length > 0) await storeResults(transaction, id, await verifySamples(sampleVerifier, rows));
    return rows.length;
  });
  onChunk?.();
  if (found < CHUNK && (await completeBatch(db, id, retention))) onCompleted?.();
  return found > 0;
}
