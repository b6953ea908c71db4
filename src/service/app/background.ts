/** The background work of a process: its heartbeat, and housekeeping. */
import { setTimeout as pause } from 'node:timers/promises';
import { workOff } from '../batch/samples.ts';
import { describeError, type Log } from '../core/log.ts';
import type { BillingOfProcess } from '../credits/billing/billing.ts';
import { isUnavailable } from '../database/unavailable.ts';
import type { Deps } from '../deps/deps.ts';
import type { JobMonitor, JobMonitors, Paces } from '../jobs/job-monitor.ts';
import type { ProcessLease } from '../jobs/process-lease.ts';
import { type Repeated, repeat } from '../jobs/repeat.ts';
import { refundDead } from '../verify/live/live-store.ts';
import type { StoredPacing } from '../verify/pacing/stored-pacing.ts';
import type { VerifyDeps } from '../verify/verification.ts';
import { createUsageFlush } from './flush-usage.ts';
import { startHousekeeping, tasksOf } from './housekeeping.ts';

export type Work = Repeated;

export interface WorkOptions {
  readonly monitors: JobMonitors;
  readonly paces?: Paces | undefined;
  readonly lease: ProcessLease;
  readonly pacing: StoredPacing;
}

const PAUSE_MS = 500;
const SAMPLES_EVERY_MS = 500;
const PAYMENTS_EVERY_MS = 1_000;
const FLUSH_USAGE_EVERY_MS = 1_000;

/**
 * Returns once the other processes know this one. Do not serve requests before, because others would take over their
 * work.
 */
export async function startWork(deps: VerifyDeps & Deps, options: WorkOptions): Promise<Work> {
  const { db, log, settings, live, usage } = deps;
  const { monitors, paces, lease, pacing } = options;
  // A process with the role `web` leaves shared work to workers.
  const isWebOnly = settings.role === 'web';
  // A process without its own verifier looks for the leftover work of others.
  const refundLost = async () => void (await (live ? live.refundLost() : refundDead(db)));
  await untilThere(() =>
    lease.start({
      ...{ monitor: monitors.begin('heartbeat'), everyMs: paces?.heartbeat },
      // The housekeeping may take its time. The credits of the dead come back within seconds.
      onDeath: () =>
        void refundLost().catch((error) => log('warn', 'verifications not given back', describeError(error))),
    }),
  );
  const monitor = monitors.begin('housekeeping');
  const everyMs = paces?.housekeeping;
  // Only the process itself can find the claims that it has lost. Refunds wait for nothing else.
  const refunds = startHousekeeping({
    ...{ log, monitor, everyMs },
    tasks: [
      { name: 'lost verifications', step: once(refundLost) },
      { name: 'lost conversations', step: once(() => pacing.releaseLost()) },
    ],
  });
  const housekeeping = isWebOnly
    ? undefined
    : startHousekeeping({ ...{ log, monitor, everyMs }, tasks: tasksOf(deps) });
  const samples = isWebOnly ? undefined : startSamples(deps, options);
  const flushUsage = createUsageFlush(db, usage, log);
  const usageFlushes = repeat(flushUsage, FLUSH_USAGE_EVERY_MS, () => {});
  return {
    async stop() {
      await samples?.stop();
      await usageFlushes.stop();
      await flushUsage();
      await housekeeping?.stop();
      await refunds.stop();
      await lease.stop();
    },
  };
}

/** A step after which there is no more to do. */
const once = (run: () => Promise<unknown>) => () => run().then(() => false);

/** Gives the batches of test keys their results. */
function startSamples(deps: Deps, { monitors, paces }: WorkOptions): Work {
  const stopped = new AbortController();
  const monitor = monitors.begin('samples');
  const run = () => workOff(deps, stopped.signal, monitor.goesOn);
  const report = (error: unknown) => deps.log('warn', 'sample batches failed', describeError(error));
  const work = repeat(run, paces?.samples ?? SAMPLES_EVERY_MS, report, monitor);
  return {
    stop() {
      stopped.abort();
      return work.stop();
    },
  };
}

/** Asks billing again for payments whose answer was lost, whoever has opened them. */
export function startPayments(
  billing: Pick<BillingOfProcess, 'askAgain'>,
  log: Log,
  monitor: JobMonitor,
  everyMs = PAYMENTS_EVERY_MS,
): Work {
  const report = (error: unknown) => log('warn', 'payments not claimed', describeError(error));
  return repeat(billing.askAgain, everyMs, report, monitor);
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
