/** Adds to the database what a process has counted. The process calls it about once a second, and when it stops. */
import type { Db } from '../database/schema.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { describeError, type Log } from '../log.ts';
import type { UsageCounter } from './counter.ts';
import { addRefusals, addResults, markUsed } from './store.ts';

/**
 * While the database is away, what was taken is kept, and the counter goes on counting as much as it does between two
 * flushes. If only the reply of the database was lost, a second is counted twice.
 *
 * @returns adds what was counted. It never rejects
 */
export function createUsageFlush(db: Db, counter: UsageCounter, log: Log): () => Promise<void> {
  const flows = [
    createFlow(counter.takeResults, (results) => addResults(db, results, counter.now())),
    createFlow(counter.takeUses, (uses) => markUsed(db, uses, counter.now())),
    createFlow(counter.takeRefusals, (refusals) => addRefusals(db, refusals, counter.now())),
  ];
  let hasFailed = false;
  return async () => {
    const written = await Promise.allSettled(flows.map((write) => write()));
    const failed = written.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    // An outage is one line of the log.
    if (failed && !hasFailed) log('warn', 'usage not counted yet', describeError(failed.reason));
    hasFailed = failed !== undefined;
  };
}

/** Writes what was taken until it is written, and only then takes more. What the database refuses for good is dropped. */
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
