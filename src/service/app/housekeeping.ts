/** Cleans up every few seconds: work of dead processes, and rows that are no longer needed. */

import { describeError } from '../core/log.ts';
import type { Deps } from '../deps/deps.ts';
import { forgetResponses } from '../idempotency/idempotency-store.ts';
import type { JobMonitor } from '../jobs/job-monitor.ts';
import { forgetProcesses } from '../jobs/process-store.ts';
import { type Repeated, repeat } from '../jobs/repeat.ts';
import { forgetVisitors } from '../limits/limit-store.ts';
import { forgetDeviceRequests } from '../oauth/device/device-store.ts';
import { forgetTokens } from '../oauth/tokens/token-store.ts';
import { forgetFormerSecrets } from '../people/accounts/account-store.ts';
import { forgetEndedSessions } from '../people/sessions/session-store.ts';
import { forgetOldGuesses } from '../people/sign-in/guess-store.ts';
import { forgetRefusals } from '../usage/usage-store.ts';
import { forgetKept } from '../verify/live/live-store.ts';
import { forgetPaces } from '../verify/pacing/pacing-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface HousekeepingOptions extends Pick<Deps, 'db' | 'log'> {
  /** Refunds the verifications of dead processes, and those that this process has lost. */
  readonly refundLost: () => Promise<void>;
  /** Deletes the addresses of batches whose results are no longer returned. */
  readonly forgetBatchResults: () => Promise<void>;
  /**
   * Whether it only refunds. For a process that answers requests and leaves the rest to workers.
   *
   * @default false
   */
  readonly onlyRefunds?: boolean;
  readonly monitor?: JobMonitor | undefined;
  readonly everyMs?: number | undefined;
}

/** Runs in each process, possibly at the same time. */
export function startHousekeeping(options: HousekeepingOptions): Repeated {
  const { log, monitor, everyMs = 5000 } = options;
  return repeat(
    () => clearUp(options),
    everyMs,
    (error) => log('warn', 'housekeeping failed', describeError(error)),
    monitor,
  );
}

/** Cleans up once. */
export async function clearUp(options: HousekeepingOptions): Promise<void> {
  const { db, refundLost, forgetBatchResults, onlyRefunds = false } = options;
  await refundLost();
  if (onlyRefunds) return;
  await forgetKept(db);
  await forgetResponses(db);
  await forgetBatchResults();
  // Yesterday stays, because the database's clock may still be there.
  await forgetVisitors(db, new Date(Date.now() - DAY_MS));
  await forgetProcesses(db);
  await forgetPaces(db);
  await forgetTokens(db);
  await forgetDeviceRequests(db);
  await forgetEndedSessions(db);
  await forgetOldGuesses(db);
  await forgetRefusals(db);
  await forgetFormerSecrets(db);
}
