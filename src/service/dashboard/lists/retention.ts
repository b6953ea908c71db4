/** Deletes drafts that nobody has started, and lists whose batch's results are no longer kept: they hold addresses. */
import type { Db } from '../../database/schema.ts';
import { forgetRows } from './store.ts';

/** The rest of the housekeeping waits meanwhile. What is left comes next time. */
const LONGEST_MS = 2_000;

/** Deletes a few rows at a time, so that no statement takes long. Several processes may do it at once. */
export async function forgetLists(db: Db, longestMs = LONGEST_MS): Promise<void> {
  const end = performance.now() + longestMs;
  while ((await forgetRows(db)) && performance.now() < end);
}
