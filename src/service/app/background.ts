/** The background work of a process: its heartbeat, and housekeeping. */
import { setTimeout as pause } from 'node:timers/promises';
import { forgetExpired } from '../batch/batch-retention.ts';
import { forgetProgress } from '../batch/batch-store.ts';
import { noteMarks } from '../batch/pace/pace-store.ts';
import { type SamplesOptions, workOff } from '../batch/samples.ts';
import type { Role } from '../config/sections/role-section.ts';
import { describeError, type Log } from '../core/log.ts';
import type { Db } from '../database/schema.ts';
import { isUnavailable } from '../database/unavailable.ts';
import type { JobMonitors, Paces } from '../jobs/job-monitor.ts';
import { startProcessHeartbeat } from '../jobs/process-heartbeat.ts';
import { type Repeated, repeat } from '../jobs/repeat.ts';
import { forgetLists } from '../lists/list-retention.ts';
import { createUsageFlush } from '../usage/flush-usage.ts';
import type { UsageCounter } from '../usage/usage-counter.ts';
import { forgetDailyResults } from '../usage/usage-store.ts';
import { refundDead } from '../verify/live/live-store.ts';
import type { LiveVerifications } from '../verify/live/live-verifications.ts';
import type { StoredPacing } from '../verify/pacing/stored-pacing.ts';
import { startHousekeeping } from './housekeeping.ts';

export type Work = Repeated;

export interface WorkOptions {
  readonly db: Db;
  readonly processId: string;
  /** A process with the role `web` leaves shared work to workers. */
  readonly role: Role;
  readonly monitors: JobMonitors;
  readonly paces?: Paces | undefined;
  readonly live: LiveVerifications | undefined;
  readonly pacing: StoredPacing;
  readonly batches: Omit<SamplesOptions, 'db'>;
  readonly usage: UsageCounter;
  readonly log: Log;
}

const PAUSE_MS = 500;
const SAMPLES_EVERY_MS = 500;
const FLUSH_USAGE_EVERY_MS = 1_000;
const CLEAN_USAGE_EVERY_MS = 60 * 60 * 1000;

/**
 * Returns once the other processes know this one. Do not serve requests before, because others would take over their
 * work.
 */
export async function startWork(options: WorkOptions): Promise<Work> {
  const { db, processId, role, monitors, paces, live, pacing, usage, log } = options;
  const heartbeat = await untilThere(async () =>
    startProcessHeartbeat({
      ...{ db, processId, log, monitor: monitors.begin('heartbeat'), everyMs: paces?.heartbeat },
    }),
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
    onlyRefunds: role === 'web',
    monitor: monitors.begin('housekeeping'),
    everyMs: paces?.housekeeping,
  });
  const samples = role === 'web' ? undefined : startSamples(options);
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
function startSamples({ db, batches, monitors, paces, log }: WorkOptions): Work {
  const stopped = new AbortController();
  const monitor = monitors.begin('samples');
  const work = repeat(
    () => workOff({ ...batches, db, onChunk: monitor.goesOn }, stopped.signal),
    paces?.samples ?? SAMPLES_EVERY_MS,
    (error) => log('warn', 'sample batches failed', describeError(error)),
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
