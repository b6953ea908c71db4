/**
 * Sends webhooks. Each process has a worker for callbacks of batches, and one for notices to accounts. The table of
 * messages is the queue, and the schedule: a worker claims due ones, sends them, and records each try. Those of dead
 * processes become due again. A message over which a process died is sent alone, and given up after three deaths.
 */
import { within } from '../../shared/within.ts';
import { describeError } from '../core/log.ts';
import type { Deps } from '../deps/deps.ts';
import type { JobMonitor } from '../jobs/job-monitor.ts';
import { createPoller } from '../jobs/poller.ts';
import { mayTakeTurn } from '../jobs/suspect-store.ts';
import { createSuspectTurns } from '../jobs/suspect-turns.ts';
import { type DeliverDeps, deliver, type TryOutcome } from './deliver-webhook.ts';
import { createSend, type SendOptions } from './send-webhook.ts';
import type { WebhookQueue } from './webhook-queue.ts';
import { type ClaimedTry, IS_SUSPECT } from './webhook-store.ts';

/** How many are sent at once. A body has up to 600 kB. */
const MOST_AT_ONCE = 100;
/** How many are claimed at once. Other requests wait for a long statement. */
const MOST_CLAIMED = 25;
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

export interface WebhookWorkerOptions extends SendOptions {
  readonly monitor?: JobMonitor | undefined;
  /** Called with the outcome of each try. */
  readonly onTried?: ((outcome: TryOutcome) => void) | undefined;
  readonly lookEveryMs?: number | undefined;
}

export type WebhookWorker = ReturnType<typeof startWebhookWorker>;

/** Starts sending. */
export function startWebhookWorker<Claimed extends ClaimedTry>(
  deps: DeliverDeps & Pick<Deps, 'lease'>,
  queue: WebhookQueue<Claimed>,
  options: WebhookWorkerOptions,
) {
  const { db, log, processId, lease, settings } = deps;
  const { monitor, onTried, lookEveryMs = LOOK_EVERY_MS } = options;
  const { events } = queue;
  const stopped = new AbortController();
  /** The claims of this process, until they have ended in the database. */
  const held = new Set<Claimed>();
  const atWork = new Set<Promise<void>>();
  let isStopping = false;
  const delivery = {
    ...{ queue, signal: stopped.signal, isStopping: () => isStopping, onTried },
    send: createSend(settings.callbacks, stopped.signal, options),
  };
  let nextTidyMs = 0;

  const poller = createPoller({
    async look() {
      if (!lease.isHeld()) return;
      await tidyUp();
      await claim();
    },
    ...{ everyMs: lookEveryMs, log, failure: events.notClaimed, monitor },
  });
  const { wake } = poller;
  const turns = createSuspectTurns({
    ...{ lease, atWork, runNext: sendSuspect, resume: wake },
    onError: (error) => log('warn', events.notClaimed, describeError(error)),
  });

  /** Runs less often than messages are sent. */
  async function tidyUp(): Promise<void> {
    if (performance.now() < nextTidyMs) return;
    for (const id of await queue.takeOver(db)) log('error', 'poison', queue.nameOf(id));
    // During a turn, a claim may not be known yet.
    if (!turns.isOpen() || turns.isClaiming()) return;
    // Finds claims whose reply was lost.
    await queue.release(db, processId, [...held]);
    for (const id of await queue.giveUpLate(db, settings.durations)) {
      log('warn', events.givenUpUnsent, queue.nameOf(id));
      onTried?.('given up unsent');
    }
    nextTidyMs = performance.now() + lookEveryMs / 2;
  }

  async function claim(): Promise<void> {
    if (await mayTakeTurn(db, processId, queue.table, IS_SUSPECT)) turns.begin(true);
    const free = MOST_AT_ONCE - atWork.size;
    if (!turns.isOpen() || free === 0) return;
    const most = Math.min(free, MOST_CLAIMED);
    const claimed = await queue.claim(db, processId, {
      most,
      mostOfAccount: Math.max(LEAST_OF_ACCOUNT, Math.floor(free * SHARE_OF_ACCOUNT)),
      mostOfReceiver: MOST_OF_RECEIVER,
    });
    for (const webhook of claimed) void send(webhook).then(wake);
    if (claimed.length === most) wake();
  }

  async function sendSuspect(onClaimed: () => void): Promise<boolean> {
    const webhook = isStopping || !lease.isHeld() ? undefined : await queue.claimSuspect(db, processId);
    onClaimed();
    // Stopping releases what is claimed meanwhile.
    if (!webhook || isStopping) return false;
    await send(webhook);
    return true;
  }

  function send(webhook: Claimed): Promise<void> {
    held.add(webhook);
    const run = work(webhook).finally(() => atWork.delete(run));
    atWork.add(run);
    return run;
  }

  async function work(webhook: Claimed): Promise<void> {
    const { closed } = await deliver(deps, delivery, webhook);
    held.delete(webhook);
    await closed;
  }

  const finished = () => Promise.all([poller.stop(), ...atWork]);

  wake();
  return {
    /** Looks for messages now. */
    wake,
    /** Waits briefly for receivers, and releases the rest to other processes. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      await within(Math.min(graceMs, LONGEST_STOP_MS), finished());
      stopped.abort();
      await within(LONGEST_RECORD_MS, finished());
      await queue.release(db, processId, []);
    },
  };
}
