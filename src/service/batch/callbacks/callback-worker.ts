/**
 * Sends callbacks. Each process has a worker. The table of callbacks is the queue, and the schedule: a worker claims
 * due callbacks, sends them, and records each try. Callbacks of dead processes become due again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { JobMonitor } from '../../jobs/job-monitor.ts';
import { createPoller } from '../../jobs/poller.ts';
import {
  type ClaimedCallback,
  claimCallbacks,
  giveUpLate,
  releaseCallbacks,
  takeOverCallbacks,
} from './callback-store.ts';
import { type DeliverDeps, deliver, type TryOutcome } from './deliver-callback.ts';
import { createSend, type SendOptions } from './send-callback.ts';

/** How many callbacks are sent at once. A body has up to 600 kB. */
const MOST_AT_ONCE = 100;
/** How many for one URL, so that a silent receiver does not delay the other receivers of its account. */
const MOST_OF_RECEIVER = 4;
/** How many for one account at least. */
const LEAST_OF_ACCOUNT = MOST_OF_RECEIVER;
/** Which part of the free places one account may take, so that its silent receivers do not delay other accounts. */
const SHARE_OF_ACCOUNT = 1 / 5;
/** How soon the worker notices work that other processes have created or left. */
const LOOK_EVERY_MS = 1_000;
/** How long stopping waits for receivers, and then for the database. */
const LONGEST_STOP_MS = 2_000;
const LONGEST_RECORD_MS = 3_000;

export interface CallbackWorkerOptions extends SendOptions {
  readonly monitor?: JobMonitor | undefined;
  /** Called with the outcome of each try. */
  readonly onTried?: ((outcome: TryOutcome) => void) | undefined;
  readonly lookEveryMs?: number | undefined;
}

export interface CallbackWorker {
  /** Looks for callbacks now. Call it when a batch was completed. */
  wake(): void;
  /** Waits briefly for receivers, and releases the rest to other processes. */
  stop(graceMs: number): Promise<void>;
}

/** Starts sending. */
export function startCallbackWorker(deps: DeliverDeps, options: CallbackWorkerOptions): CallbackWorker {
  const { db, log, processId, settings } = deps;
  const { monitor, onTried, lookEveryMs = LOOK_EVERY_MS } = options;
  const stopped = new AbortController();
  /** The claims of this process, until they have ended in the database. */
  const held = new Set<ClaimedCallback>();
  const atWork = new Set<Promise<void>>();
  let isStopping = false;
  const delivery = {
    ...{ signal: stopped.signal, isStopping: () => isStopping, onTried },
    send: createSend(settings.callbacks, stopped.signal, options),
  };
  let nextTidyMs = 0;

  const poller = createPoller({
    async look() {
      await tidyUp();
      await claim();
    },
    ...{ everyMs: lookEveryMs, log, failure: 'callbacks not claimed', monitor },
  });
  const { wake } = poller;

  /** Runs less often than callbacks are sent. */
  async function tidyUp(): Promise<void> {
    if (performance.now() < nextTidyMs) return;
    await takeOverCallbacks(db, processId);
    // Finds claims whose reply was lost.
    await releaseCallbacks(db, processId, [...held]);
    for (const batch of await giveUpLate(db, settings.durations)) {
      log('warn', 'callback given up unsent', { batch });
      onTried?.('given up unsent');
    }
    nextTidyMs = performance.now() + lookEveryMs / 2;
  }

  async function claim(): Promise<void> {
    const most = MOST_AT_ONCE - atWork.size;
    if (most === 0) return;
    const claimed = await claimCallbacks(db, processId, {
      most,
      mostOfAccount: Math.max(LEAST_OF_ACCOUNT, Math.floor(most * SHARE_OF_ACCOUNT)),
      mostOfReceiver: MOST_OF_RECEIVER,
    });
    for (const callback of claimed) {
      held.add(callback);
      const run = work(callback).finally(() => {
        atWork.delete(run);
        wake();
      });
      atWork.add(run);
    }
  }

  async function work(callback: ClaimedCallback): Promise<void> {
    const { closed } = await deliver(deps, delivery, callback);
    held.delete(callback);
    await closed;
  }

  wake();
  return {
    wake,
    async stop(graceMs) {
      isStopping = true;
      await finishWithin(Math.min(graceMs, LONGEST_STOP_MS));
      stopped.abort();
      await finishWithin(LONGEST_RECORD_MS);
      await releaseCallbacks(db, processId, []);
    },
  };

  async function finishWithin(ms: number): Promise<void> {
    const over = new AbortController();
    const late = pause(ms, undefined, { signal: over.signal }).catch(() => {});
    await Promise.race([Promise.all([poller.stop(), ...atWork]), late]);
    over.abort();
  }
}
