/** The background work of a process: its heartbeat, and housekeeping. */
import { setTimeout as pause } from 'node:timers/promises';
import { forgetExpired } from '../batch/batch-retention.ts';
import { forgetProgress } from '../batch/batch-store.ts';
import { noteMarks } from '../batch/pace/pace-store.ts';
import { workOff } from '../batch/samples.ts';
import { describeError } from '../core/log.ts';
import { isUnavailable } from '../database/unavailable.ts';
import type { Deps } from '../deps/deps.ts';
import type { JobMonitors, Paces } from '../jobs/job-monitor.ts';
import { startProcessHeartbeat } from '../jobs/process-heartbeat.ts';
import { type Repeated, repeat } from '../jobs/repeat.ts';
import { forgetLists } from '../lists/list-retention.ts';
import { forgetDailyResults } from '../usage/usage-store.ts';
import { refundDead } from '../verify/live/live-store.ts';
import type { StoredPacing } from '../verify/pacing/stored-pacing.ts';
import type { VerifyDeps } from '../verify/verification.ts';
import { createUsageFlush } from './flush-usage.ts';
import { startHousekeeping } from './housekeeping.ts';

export type Work = Repeated;

export interface WorkOptions {
  readonly monitors: JobMonitors;
  readonly paces?: Paces | undefined;
  readonly pacing: StoredPacing;
}

const PAUSE_MS = 500;
const SAMPLES_EVERY_MS = 500;
const FLUSH_USAGE_EVERY_MS = 1_000;
const CLEAN_USAGE_EVERY_MS = 60 * 60 * 1000;

/**
 * Returns once the other processes know this one. Do not serve requests before, because others would take over their
 * work.
 */
export async function startWork(deps: VerifyDeps & Deps, options: WorkOptions): Promise<Work> {
  const { db, log, settings, live, usage } = deps;
  const { monitors, paces, pacing } = options;
  // A process with the role `web` leaves shared work to workers.
  const isWebOnly = settings.role === 'web';
  const heartbeat = await untilThere(async () =>
    startProcessHeartbeat({ ...deps, monitor: monitors.begin('heartbeat'), everyMs: paces?.heartbeat }),
  );
  const housekeeping = startHousekeeping({
    db,
    log,
    async refundLost() {
      // A process without its own verifier looks for the leftover work of others.
      if (live) await live.refundLost();
      else await refundDead(db);
      await pacing.releaseLost();
    },
    async forgetBatchResults() {
      await forgetExpired(db);
      await forgetProgress(db);
      await noteMarks(db);
      await forgetLists(db);
    },
    // Only the process itself can find the claims that it has lost.
    onlyRefunds: isWebOnly,
    monitor: monitors.begin('housekeeping'),
    everyMs: paces?.housekeeping,
  });
  const samples = isWebOnly ? undefined : startSamples(deps, options);
  const flushUsage = createUsageFlush(db, usage, log);
  const usageFlushes = repeat(flushUsage, FLUSH_USAGE_EVERY_MS, () => {});
  const usageCleaning = repeat(
    () => forgetDailyResults(db),
    CLEAN_USAGE_EVERY_MS,
    (error) => log('warn', 'old usage not deleted', describeError(error)),
  );
  return {
    async stop() {
      await samples?.stop();
      await usageCleaning.stop();
      await usageFlushes.stop();
      await flushUsage();
      await housekeeping.stop();
      await heartbeat.stop();
    },
  };
}

/** Gives the batches of test keys their results. */
function startSamples(deps: Deps, { monitors, paces }: WorkOptions): Work {
  const stopped = new AbortController();
  const monitor = monitors.begin('samples');
  const work = repeat(
    () => workOff(deps, stopped.signal, monitor.goesOn),
    paces?.samples ?? SAMPLES_EVERY_MS,
    (error) => deps.log('warn', 'sample batches failed', describeError(error)),
    monitor,
  );
  return {
    stop() {
      stopped.abort();
      return work.stop();
    },
  };
}

/** Retries, because the database may become unreachable in between. */
async function untilThere<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await pause(PAUSE_MS, undefined, { ref: false });
    }
  }
}
