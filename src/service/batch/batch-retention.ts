/** Deletes the addresses of batches whose results are no longer returned (interface, section 2.2). */
import type { Db } from '../database/schema.ts';
import { forgetResults } from './batch-store.ts';

/** Other housekeeping waits meanwhile. The rest is deleted next time, in 5 seconds. */
const LONGEST_MS = 4_000;

/** Deletes in small chunks, so that no statement takes long. Several processes may do it at once. */
export async function forgetExpired(db: Db, longestMs = LONGEST_MS): Promise<void> {
  const end = performance.now() + longestMs;
  while ((await forgetResults(db)) && performance.now() < end);
}
