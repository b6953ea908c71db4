/**
 * Verifies the addresses of live batches. Each process has a worker. The rows of the database are the queue: a worker
 * claims some, verifies them and writes each result at once. Claims of dead processes become ready again.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { splitAddress } from '../../../engine/address/parts.ts';
import { HELD_BACK } from '../../../engine/verdict.ts';
import type { Verified, Verifier } from '../../../engine/verifier.ts';
import { describeError } from '../../core/log.ts';
import { coalesce } from '../../database/coalesce.ts';
import type { Deps } from '../../deps/deps.ts';
import type { JobMonitor } from '../../jobs/job-monitor.ts';
import { keepTrying } from '../../jobs/keep-trying.ts';
import { createPoller } from '../../jobs/poller.ts';
import { toBatchResult } from '../result-fields.ts';
import {
  type ClaimedRow,
  claimRows,
  closedBatches,
  completeLiveBatch,
  type Finish,
  finishRows,
  makeReady,
  type OpenBatch,
  openBatches,
  releaseRows,
} from './claim-store.ts';
import { createClaims } from './claims.ts';
import { createFairQueue, type QueuedRow } from './fair-queue.ts';
import { faultResult } from './own-fault.ts';
import { createProgress } from './stall.ts';
import { createTokenBucket } from './token-bucket.ts';

/** How many addresses are verified at once, in all organisations together. */
const MOST_AT_ONCE = 100;
/** How many start in a second. Few mail servers are faster, and the rest of the process is for requests. */
const MOST_PER_SECOND = 800;
/** How many start together after a rest. */
const MOST_TOGETHER = 24;
/** How many more are claimed, so that one may always start. */
const MOST_CLAIMED = 400;
/** The least number for each batch. */
const FEWEST_CLAIMED = 10;
const MOST_BATCHES = 40;
/** How soon the worker notices work that other processes have created or left. */
const LOOK_EVERY_MS = 500;
/** How long an address may take, including the wait for its mail server. */
const PATIENCE_MS = 30_000;
/** How long to close an organisation whose mail servers may not be contacted now. */
const CLOSED_MS = 2_000;
/**
 * How long stopping waits for running addresses. Another process verifies the rest, or this one after its next start.
 */
const LONGEST_STOP_MS = 5_000;

type BatchWorkerDeps = Pick<
  Deps,
  'db' | 'log' | 'processId' | 'settings' | 'usage' | 'onCredits' | 'wakeCallbacks' | 'isPortClosed'
>;

export interface BatchWorkerOptions {
  readonly verifier: Verifier;
  /** Finds the organisation that runs the mail servers of an address. @default its domain counts as one */
  readonly findOrganisation?: ((address: string) => Promise<string | undefined>) | undefined;
  readonly monitor?: JobMonitor | undefined;
  readonly lookEveryMs?: number | undefined;
  readonly closedMs?: number;
}

export interface BatchWorker {
  /** Looks for work now. Call it when a batch was created. */
  wake(): void;
  /** Waits briefly for running addresses, and releases the rest to other processes. */
  stop(graceMs: number): Promise<void>;
  /** How long this worker has had addresses to verify without progress. */
  stalledMs(): number;
  /** How many addresses it is verifying now. */
  atWork(): number;
}

interface Row extends ClaimedRow, QueuedRow {
  readonly batch: OpenBatch;
}

/** Starts working. The settings have a section `live`. */
export function startBatchWorker(deps: BatchWorkerDeps, options: BatchWorkerOptions): BatchWorker {
  const { db, log, processId, settings } = deps;
  const { verifier, lookEveryMs = LOOK_EVERY_MS, closedMs = CLOSED_MS } = options;
  const { perHost, greylistRetries, catchAllByDefault } = settings.live!;
  // Twice as many as conversations, so that a conversation always has a next address.
  const queue = createFairQueue<Row>(MOST_AT_ONCE, 2 * perHost.connections);
  const bucket = createTokenBucket({ perSecond: MOST_PER_SECOND, burst: MOST_TOGETHER, resume: beginAll });
  const finish = coalesce(
    async (finishes: readonly Finish[]) => {
      for (const { account_id, reason, count } of await finishRows(db, processId, finishes)) {
        deps.usage.countResult(account_id, 'batch', 'live', reason, count);
      }
      return finishes;
    },
    { atOnce: 2, most: 200 },
  );
  const claims = createClaims();
  const progress = createProgress();
  /** The batches with at least as many ready addresses as requested. */
  let hasMore = new Set<string>();
  let share = MOST_CLAIMED;
  const atWork = new Set<Promise<void>>();
  const stopped = new AbortController();
  // Each unwritten result adds a listener.
  setMaxListeners(0, stopped.signal);
  let isStopping = false;

  const poller = createPoller({
    look: () => refill().finally(beginAll),
    ...{ everyMs: lookEveryMs, log, failure: 'batches not claimed', monitor: options.monitor },
  });
  const { wake } = poller;

  async function refill(): Promise<void> {
    await makeReady(db);
    const open = await openBatches(db, MOST_BATCHES);
    for (const { id } of open.filter(({ is_done }) => is_done)) {
      const completed = await completeLiveBatch(db, id, settings);
      if (!completed) continue;
      if (completed.refunded > 0) deps.onCredits(completed.refunded, 'batch-refund');
      deps.wakeCallbacks();
    }
    // No addresses are claimed until mail servers can be reached.
    const ready = deps.isPortClosed() ? [] : open.filter(({ is_done }) => !is_done);
    progress.sees(ready.length > 0 || atWork.size > 0);
    share = Math.max(FEWEST_CLAIMED, Math.floor(MOST_CLAIMED / Math.max(1, ready.length)));
    const claimedBefore = claims.counts();
    const wanted = ready
      .map(({ id }) => ({ id, most: share - (claimedBefore.get(id) ?? 0) }))
      .filter(({ most }) => most > 0);
    await callOffClosed([...claimedBefore.keys()]);
    // Releases claims whose reply was lost, and addresses that were called off.
    await releaseRows(db, processId, claims.all());
    if (wanted.length === 0) return;
    const claimed = await claimRows(db, processId, wanted);
    if (claimed.length > 0) progress.moves();
    const countOf = (id: string) => claimed.filter(({ batch_id }) => batch_id === id).length;
    hasMore = new Set(wanted.filter(({ id, most }) => countOf(id) === most).map(({ id }) => id));
    for (const row of claimed) claims.add(row);
    const batches = new Map(ready.map((batch) => [batch.id, batch]));
    for (const row of claimed) void enqueue(row, batches.get(row.batch_id)!);
  }

  /** Starts no more addresses of batches that were paused or deleted meanwhile. */
  async function callOffClosed(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of await closedBatches(db, ids)) {
      queue.withdraw(id);
      claims.callOff(id);
    }
  }

  async function enqueue(row: ClaimedRow, batch: OpenBatch): Promise<void> {
    const { domain } = splitAddress(row.address);
    const found = await options.findOrganisation?.(row.address).catch(() => undefined);
    if (stopped.signal.aborted || !claims.has(row)) return;
    const organisation = found === undefined ? `domain ${domain.toLowerCase()}` : `organisation ${found}`;
    queue.add({ ...row, batchId: row.batch_id, organisation, batch });
    beginAll();
  }

  function beginAll(): void {
    while (!isStopping && bucket.mayBegin()) {
      const row = queue.next();
      if (!row) return;
      bucket.begin();
      const run = work(row).finally(() => atWork.delete(run));
      atWork.add(run);
    }
  }

  async function work(row: Row): Promise<void> {
    const calledOff = claims.begin(row);
    const verified = await ask(row, calledOff);
    if (stopped.signal.aborted) return;
    progress.moves();
    // Because others of the organisation are in progress.
    const isHeldBack = verified?.evidence.at(-1)?.rule === HELD_BACK;
    if (isHeldBack && calledOff.aborted) return giveUp(row);
    if (isHeldBack && !row.batch.is_old) {
      queue.putBack(row);
      claims.putBack(row);
      closeFor(row.organisation);
      return;
    }
    // The next one in the organisation does not wait for the database.
    const { result = faultResult(row.address) } = verified ?? {};
    const againInS = row.batch.retries ? greylistRetries[row.tries] : undefined;
    const isFinal = result.state !== 'unknown' || againInS === undefined;
    const written = write({ row, ...(isFinal ? { result: toBatchResult(result) } : { againInS }) });
    queue.leave(row);
    beginAll();
    await written;
    const left = queue.sizeOf(row.batch_id);
    if (left === 0 || (left < share / 2 && hasMore.has(row.batch_id))) wake();
  }

  /** The next look releases it, so that it is ready when the batch is resumed. */
  function giveUp(row: Row): void {
    queue.leave(row);
    claims.remove(row);
    beginAll();
    wake();
  }

  /** @returns undefined for a verification that failed */
  async function ask({ address }: Row, calledOff: AbortSignal): Promise<Verified | undefined> {
    try {
      const verified = await verifier({
        ...{ address, smtp: true, acceptAll: catchAllByDefault },
        ...{ timeoutMs: PATIENCE_MS, inBackground: true, calledOff },
      });
      return verified.result ? verified : await verified.later;
    } catch (error) {
      log('error', 'verification of a batch failed', describeError(error));
      return undefined;
    }
  }

  /** Retries until the database accepts it. */
  async function write(one: Finish & { readonly row: Row }): Promise<void> {
    const written = await keepTrying(
      () => finish(one).then(() => true),
      stopped.signal,
      (error) => log('warn', 'result of a batch not written yet', describeError(error)),
    );
    if (written) claims.remove(one.row);
  }

  function closeFor(organisation: string): void {
    queue.close(organisation);
    const open = () => {
      queue.open(organisation);
      beginAll();
    };
    void pause(closedMs, undefined, { signal: stopped.signal }).then(open, () => {});
  }

  wake();
  return {
    wake,
    stalledMs: progress.stalledMs,
    atWork: () => atWork.size,
    async stop(graceMs) {
      isStopping = true;
      bucket.stop();
      await poller.stop();
      const over = new AbortController();
      const late = pause(Math.min(graceMs, LONGEST_STOP_MS), undefined, { signal: over.signal });
      await Promise.race([Promise.all(atWork), late.catch(() => {})]);
      over.abort();
      stopped.abort();
      await releaseRows(db, processId, []);
    },
  };
}
