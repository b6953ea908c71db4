/** Tells the other processes that this one is alive. A process that is silent for 10 seconds counts as dead. */

import { describeError } from '../core/log.ts';
import type { Deps } from '../deps/deps.ts';
import type { JobMonitor } from './job-monitor.ts';
import { removeProcess, touchProcess } from './process-store.ts';
import { type Repeated, repeat } from './repeat.ts';

export interface ProcessHeartbeatOptions extends Pick<Deps, 'db' | 'log' | 'processId'> {
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
