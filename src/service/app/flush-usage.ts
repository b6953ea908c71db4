/** Adds the counts of a process to the database. The process calls it about once a second, and when it stops. */
import { describeError, type Log } from '../core/log.ts';
import type { Db } from '../database/schema.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { markUsed } from '../keys/key-store.ts';
import type { UsageCounter } from '../usage/usage-counter.ts';
import { addRefusals } from '../usage/usage-store.ts';

/**
 * While the database is unreachable, the taken counts are kept, and the counter keeps counting up to its limits. If
 * only the database's reply was lost, a second is counted twice.
 *
 * @returns a function that adds the counts. It never rejects
 */
export function createUsageFlush(db: Db, counter: UsageCounter, log: Log): () => Promise<void> {
  const flows = [
    createFlow(counter.takeUses, (uses) => markUsed(db, uses, counter.now())),
    createFlow(counter.takeRefusals, (refusals) => addRefusals(db, refusals, counter.now())),
  ];
  let hasFailed = false;
  return async () => {
    const written = await Promise.allSettled(flows.map((write) => write()));
    const failed = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    // An outage causes one line in the log.
    if (failed && !hasFailed) log('warn', 'usage not counted yet', describeError(failed.reason));
    hasFailed = failed !== undefined;
  };
}

/**
 * Retries the taken counts until they are written, and only then takes more. Drops counts that the database refuses for
 * good.
 */
function createFlow<Item>(take: () => Item[], write: (items: readonly Item[]) => Promise<void>) {
  let taken: Item[] = [];
  return async (): Promise<void> => {
    if (taken.length === 0) taken = take();
    if (taken.length === 0) return;
    try {
      await write(taken);
    } catch (error) {
      if (!isUnavailable(error)) taken = [];
      throw error;
    }
    taken = [];
  };
}
