/**
 * Deletes drafts that were not started, and the lists of batches whose results have expired, because lists hold
 * addresses.
 */
import type { Db } from '../database/schema.ts';
import { forgetRows } from './list-store.ts';

/** Other housekeeping waits meanwhile. The rest is deleted next time. */
const LONGEST_MS = 2_000;

/** Deletes a few rows at a time, so that no statement takes long. Several processes may do it at once. */
export async function forgetLists(db: Db, longestMs = LONGEST_MS): Promise<void> {
  const end = performance.now() + longestMs;
  while ((await forgetRows(db)) && performance.now() < end);
}
