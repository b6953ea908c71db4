/** Tells the other processes that this one is alive. A process that is silent for 10 seconds counts as dead. */

import { describeError, type Log } from '../core/log.ts';
import type { Db } from '../database/schema.ts';
import type { JobMonitor } from './job-monitor.ts';
import { removeProcess, touchProcess } from './process-store.ts';
import { type Repeated, repeat } from './repeat.ts';

export interface ProcessHeartbeatOptions {
  readonly db: Db;
  /** A UUID that no other process has. */
  readonly processId: string;
  readonly log: Log;
  readonly monitor?: JobMonitor | undefined;
  readonly everyMs?: number | undefined;
}

/**
 * Returns once the others know the process. Do not start work before, because they would take it over. `stop` marks the
 * process as ended, so call it when all work is done.
 */
export async function startProcessHeartbeat(options: ProcessHeartbeatOptions): Promise<Repeated> {
  const { db, processId, log, monitor, everyMs = 2000 } = options;
  await touchProcess(db, processId);
  const beat = repeat(
    () => touchProcess(db, processId),
    everyMs,
    (error) => log('warn', 'heartbeat failed', describeError(error)),
    monitor,
  );
  return {
    async stop() {
      await beat.stop();
      await removeProcess(db, processId);
    },
  };
}
