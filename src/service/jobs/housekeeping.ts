/** Clears up every few seconds: work of dead processes, and rows that are no longer needed. */
import type { Db } from '../database/schema.ts';
import { forgetResponses } from '../idempotency/store.ts';
import { forgetVisitors } from '../limits/stored-visitors.ts';
import { describeError, type Log } from '../log.ts';
import { forgetKept } from '../verify/live/store.ts';
import { type Repeated, repeat } from './repeat.ts';
import { forgetProcesses } from './store.ts';

export interface HousekeepingOptions {
  readonly db: Db;
  readonly log: Log;
  /** Gives back the verifications that no living process runs. */
  readonly giveBackLost: () => Promise<void>;
  readonly everyMs?: number;
}

/** Each process does it. Several may do it at once. */
export function startHousekeeping(options: HousekeepingOptions): Repeated {
  const { log, everyMs = 5000 } = options;
  return repeat(
    () => clearUp(options),
    everyMs,
    (error) => log('warn', 'housekeeping failed', describeError(error)),
  );
}

/** Clears up once. */
export async function clearUp({ db, giveBackLost }: HousekeepingOptions): Promise<void> {
  await giveBackLost();
  await forgetKept(db);
  await forgetResponses(db);
  await forgetVisitors(db, new Date());
  await forgetProcesses(db);
}
