/**
 * Verifies the addresses of live batches. Each process has a worker. The rows of the database are the queue: a worker
 * claims some, verifies them and writes each result at once. Claims of dead processes become ready again. An address
 * over which a process died begins alone (`jobs/suspect-turns.ts`), and after three deaths it gets the result of our own
 * fault.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { splitAddress } from '../../../engine/address/parts.ts';
import { FACT_AWAITED, HELD_BACK } from '../../../engine/verdict.ts';
import type { Verified, Verifier } from '../../../engine/verifier.ts';
import { within } from '../../../shared/within.ts';
import { keepTrying } from '../../core/keep-trying.ts';
import { describeError } from '../../core/log.ts';
import { coalesce } from '../../database/coalesce.ts';
import { holdBusy } from '../../database/hold-busy.ts';
import type { Deps } from '../../deps/deps.ts';
import type { JobMonitor } from '../../jobs/job-monitor.ts';
import { createPoller } from '../../jobs/poller.ts';
import { createSuspectTurns } from '../../jobs/suspect-turns.ts';
import { toBatchResult } from '../result-fields.ts';
import { doneBatches, endTurns, nextBatches, waitingAccounts } from '../turns/turn-store.ts';
import {
  beginRows,
  type ClaimedRow,
  type ClaimOutcome,
  claimOf,
  claimRows,
  claimSuspects,
  closedBatches,
  completeLiveBatch,
  type Finish,
  finishRows,
  makeReady,
  mayVerifySuspects,
  releaseRows,
} from './claim-store.ts';
import { createClaims } from './claims.ts';
import { createCompany } from './company.ts';
import { createFairQueue, type QueuedRow } from './fair-queue.ts';
import { faultResult } from './own-fault.ts';
import { sharesOf, surplusOf } from './share-claims.ts';
import { createProgress } from './stall.ts';
import { createTokenBucket } from './token-bucket.ts';

/** How many addresses are verified at once, in all organisations together. */
const MOST_AT_ONCE = 100;
/** How many start in a second. Few mail servers are faster, and the rest of the process is for requests. */
const MOST_PER_SECOND = 800;
/** How many start together after a rest. */
const MOST_TOGETHER = 24;
/** How many are claimed, so that one may always start. Other processes take over so many of a process that dies. */
const MOST_CLAIMED = 400;
/** What part of the claims, and of what is verified at once, is kept for accounts that have none. */
const KEPT_PART = 1 / 5;
/**
 * How many wait at least for their beginning, and for how long at the present pace. A worker that joins finds the others,
 * instead of nothing for as long as these take.
 */
const FEWEST_WAITING = 50;
const WAITING_MS = 2_000;
/** How many addresses there should be for each batch that is claimed from. */
const FEWEST_OF_BATCH = 10;
/** How soon the worker notices work that other processes have created or left. */
const LOOK_EVERY_MS = 500;
/** How long an address may take, including the wait for its mail server. */
const PATIENCE_MS = 30_000;
/** How long to close an organisation whose mail servers may not be contacted now. */
const CLOSED_MS = 2_000;
/** How long to close a domain while another conversation asks whether it accepts every address. */
const AWAITED_MS = 500;
/**
 * How long stopping waits for running addresses. Another process verifies the rest, or this one after its next start.
 */
const LONGEST_STOP_MS = 5_000;
/** How long stopping then waits for the database. */
const LONGEST_RECORD_MS = 3_000;

type BatchWorkerDeps = Pick<Deps, 'db' | 'log' | 'processId' | 'lease' | 'settings' | 'isPortClosed'> &
  Pick<Deps, 'untilUnlocked' | 'onCredits' | 'wakeCallbacks'>;

export interface BatchWorkerOptions {
  readonly verifier: Verifier;
  /** Finds the organisation that runs the mail servers of an address. @default its domain counts as one */
  readonly findOrganisation?: ((address: string) => Promise<string | undefined>) | undefined;
  readonly monitor?: JobMonitor | undefined;
  readonly lookEveryMs?: number | undefined;
  readonly closedMs?: number;
  /** What takes more time is not waited for in turns of suspects. */
  readonly longMs?: number | undefined;
}

export type BatchWorker = ReturnType<typeof startBatchWorker>;

interface Row extends ClaimedRow, QueuedRow {}

/** Starts working. The settings have a section `live`. */
export function startBatchWorker(deps: BatchWorkerDeps, options: BatchWorkerOptions) {
  const { db, log, processId, lease, settings } = deps;
  const { verifier, lookEveryMs = LOOK_EVERY_MS, closedMs = CLOSED_MS } = options;
  const { perHost, greylistRetries, catchAllByDefault } = settings.live!;
  const stopped = new AbortController();
  /** Each address waits alone for whoever has locked it. */
  const whenBusy = {
    isBusy: (outcome: ClaimOutcome) => outcome === 'busy',
    isWanted: () => !stopped.signal.aborted,
    most: 1,
  };
  const company = createCompany();
  const queue = createFairQueue<Row>({
    most: MOST_AT_ONCE,
    // Twice as many as conversations, so that a conversation always has a next address.
    mostOfOrganisation: 2 * perHost.connections,
    isKept: company.isExpected,
  });
  const bucket = createTokenBucket({ perSecond: MOST_PER_SECOND, burst: MOST_TOGETHER, resume: beginAll });
  const finish = holdBusy(
    coalesce((finishes: readonly Finish[]) => finishRows(db, processId, finishes), { atOnce: 2, most: 200 }),
    { ...whenBusy, subjectOf: ({ row }) => claimOf(row) },
  );
  const begin = holdBusy(
    coalesce((rows: readonly ClaimedRow[]) => beginRows(db, processId, rows), {
      atOnce: 2,
      most: MOST_AT_ONCE,
    }),
    { ...whenBusy, subjectOf: claimOf },
  );
  const claims = createClaims();
  const progress = createProgress();
  /** Whether there may be more to claim. */
  let hasMore = false;
  const atWork = new Set<Promise<void>>();
  /** When the latest ones began, in order. */
  let begunAt: number[] = [];
  /** How many should wait for their beginning. */
  let wanted = FEWEST_WAITING;
  /** What the database does about claims of this process. */
  const writing = new Set<Promise<unknown>>();
  /** The accounts whose batches are being completed. */
  const completing = new Map<string, Promise<void>>();
  // Each unwritten result adds a listener.
  setMaxListeners(0, stopped.signal);
  let isStopping = false;

  const poller = createPoller({
    look: () => refill().finally(beginAll),
    ...{ everyMs: lookEveryMs, log, failure: 'batches not claimed', monitor: options.monitor },
  });
  const { wake } = poller;
  const turns = createSuspectTurns({
    ...{ lease, atWork, runNext: runSuspect, resume: wake, longMs: options.longMs },
    onError: (error) => log('warn', 'batches not claimed', describeError(error)),
  });

  async function refill(): Promise<void> {
    if (!lease.isHeld()) return;
    const hasSuspects = await makeReady(db);
    if (hasSuspects) await endPoison();
    await completeDone();
    await callOffClosed(claims.batches());
    // No addresses are claimed until mail servers can be reached.
    const waiting = deps.isPortClosed() ? [] : await waitingAccounts(db, 'live', MOST_CLAIMED);
    progress.sees(waiting.length > 0 || atWork.size > 0);
    company.sees([...claims.counts().keys(), ...waiting]);
    // A turn may have to wait for silent mail servers. Most are over before the next look.
    if (!turns.isOpen()) giveBackWaiting();
    else if (hasSuspects && (await mayVerifySuspects(db, processId))) {
      turns.begin(waiting.length > 0 || queue.size > 0);
    }
    // During a turn, nothing else is claimed.
    if (!turns.isOpen()) return;
    const kept = company.isExpected() ? MOST_CLAIMED * KEPT_PART : 0;
    const claiming = () => ({ most: MOST_CLAIMED, kept, has: claims.counts(), waiting });
    for (const [accountId, count] of surplusOf(claiming()))
      for (const row of queue.giveBack(accountId, count)) claims.remove(row);
    // Releases claims whose reply was lost, and addresses that were called off or given back.
    if (!turns.isClaiming()) await releaseRows(db, processId, claims.all());
    wanted = waitingWanted();
    await claim(sharesOf({ ...claiming(), mostOfAccount: atWork.size + wanted }));
  }

  /** All that may wait, if those that do are held up by their mail servers: the next ones may have others. */
  function waitingWanted(): number {
    const places = MOST_AT_ONCE * (company.isExpected() ? 1 - KEPT_PART : 1);
    // What may begin by now does not wait. A bucket that is asked again might have filled up meanwhile.
    const mayBeginMore = beginAll();
    const since = performance.now() - WAITING_MS;
    begunAt = begunAt.filter((at) => at > since);
    const isHeldUp = mayBeginMore && queue.size > atWork.size && atWork.size < places;
    return isHeldUp ? MOST_CLAIMED : Math.max(FEWEST_WAITING, begunAt.length);
  }

  /**
   * Lets other processes verify what has not begun here. Each claim ends for itself: a suspect whose claim is on its way
   * is not known here yet.
   */
  function giveBackWaiting(): void {
    for (const [accountId, count] of claims.counts())
      for (const row of queue.giveBack(accountId, count)) void write({ row });
  }

  /** Accounts do not wait for each other, because an account may be locked for long. */
  async function completeDone(): Promise<void> {
    const done = await doneBatches(db, 'live');
    for (const accountId of new Set(done.map(({ account_id }) => account_id))) {
      if (completing.has(accountId)) continue;
      const ids = done.filter(({ account_id }) => account_id === accountId).map(({ id }) => id);
      const run = complete(accountId, ids)
        // The next look finds them again.
        .catch((error) => log('warn', 'batch not completed yet', describeError(error)))
        .finally(() => completing.delete(accountId));
      completing.set(accountId, run);
    }
  }

  async function complete(accountId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await deps.untilUnlocked(accountId);
      const completed = await completeLiveBatch(db, id, settings);
      if (!completed) continue;
      if (completed.refunded > 0) deps.onCredits(completed.refunded, 'batch-refund');
      deps.wakeCallbacks();
    }
  }

  async function claim(shares: ReadonlyMap<string, number>): Promise<void> {
    hasMore = false;
    if (shares.size === 0) return;
    const batchesOf = (most: number) => Math.ceil(most / FEWEST_OF_BATCH);
    const wishes = [...shares].map(([accountId, most]) => ({ accountId, most, batches: batchesOf(most) }));
    const wanted = await nextBatches(db, 'live', wishes);
    const claimed = await claimRows(db, processId, wanted);
    if (claimed.length > 0) progress.moves();
    for (const row of claimed) claims.add(row);
    // Begins when all that are known are queued, so that none is preferred.
    for (const row of claimed) void enqueue(row).then(beginAll);
    const ids = wanted.map(({ id }) => id);
    await endTurns(db, 'live', [...shares.keys()], ids);
    hasMore = claimed.length > 0;
    const most = [...shares.values()].reduce((sum, share) => sum + share, 0);
    // Of small batches, more are needed.
    if (hasMore && claimed.length < most) wake();
  }

  /** Starts no more addresses of batches that were paused or deleted meanwhile. */
  async function callOffClosed(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of await closedBatches(db, ids)) {
      queue.withdraw(id);
      claims.callOff(id);
    }
  }

  async function enqueue(row: ClaimedRow): Promise<void> {
    const { domain } = splitAddress(row.address);
    const found = await options.findOrganisation?.(row.address).catch(() => undefined);
    if (stopped.signal.aborted || !claims.has(row)) return;
    const ofDomain = `domain ${domain.toLowerCase()}`;
    const organisation = found === undefined ? ofDomain : `organisation ${found}`;
    queue.add({ ...row, accountId: row.account_id, batchId: row.batch_id, organisation, domain: ofDomain });
  }

  /** @returns whether another would have begun, if the queue had one whose mail servers are free */
  function beginAll(): boolean {
    const { size } = atWork;
    let mayBeginMore = false;
    while (!isStopping && turns.isOpen() && lease.isHeld() && bucket.mayBegin()) {
      const row = queue.next();
      mayBeginMore = row === undefined;
      if (!row) break;
      bucket.begin();
      begunAt.push(performance.now());
      const run = work(row).finally(() => atWork.delete(run));
      atWork.add(run);
    }
    // Only when some have begun, because a look that may not claim ends here too, and would be repeated without a pause.
    const isShort = claims.size - atWork.size < Math.min(wanted, MOST_CLAIMED) / 2;
    if (atWork.size > size && hasMore && isShort) wake();
    return mayBeginMore;
  }

  async function work(row: Row): Promise<void> {
    const calledOff = claims.begin(row);
    const isOwn = await mayBegin(row);
    if (stopped.signal.aborted) return;
    if (!isOwn) return giveUp(row);
    const verified = await ask(row, calledOff);
    if (stopped.signal.aborted) return;
    progress.moves();
    const rule = waitsBy(verified);
    if (rule && calledOff.aborted) return giveUp(row);
    if (rule && mayWait(row, rule)) {
      queue.putBack(row);
      claims.putBack(row);
      if (rule === HELD_BACK) closeFor(row.organisation, closedMs);
      else closeFor(row.domain, AWAITED_MS);
      // Others may begin.
      beginAll();
      return;
    }
    // The next one in the organisation does not wait for the database.
    const written = write({ row, ...conclude(row, verified) });
    queue.leave(row);
    beginAll();
    await written;
    if (queue.sizeOf(row.batch_id) === 0) wake();
  }

  /** How the claim ends: with a result, or until it is tried again. */
  function conclude({ address, tries, retries }: ClaimedRow, verified: Verified | undefined) {
    const { result = faultResult(address) } = verified ?? {};
    const againInS = retries ? greylistRetries[tries] : undefined;
    const isFinal = result.state !== 'unknown' || againInS === undefined;
    return isFinal ? { result: toBatchResult(result) } : { againInS };
  }

  /** Records the beginning, until the database accepts it. @returns false if another process has taken the row over */
  async function mayBegin(row: ClaimedRow): Promise<boolean> {
    const outcome = await keepTrying(
      () => untilWritten(begin.run(row)),
      stopped.signal,
      (error) => log('warn', 'address of a batch not begun yet', describeError(error)),
    );
    return outcome === 'done';
  }

  async function runSuspect(onClaimed: () => void): Promise<boolean> {
    if (isStopping || !lease.isHeld() || deps.isPortClosed()) return false;
    const [row] = await claimSuspects(db, processId, 'suspect', 1);
    onClaimed();
    // Stopping releases what is claimed meanwhile.
    if (!row || isStopping) return false;
    claims.add(row);
    const run = verifyAlone(row).finally(() => atWork.delete(run));
    atWork.add(run);
    await run;
    return true;
  }

  async function verifyAlone(row: ClaimedRow): Promise<void> {
    const calledOff = claims.begin(row);
    const verified = await ask(row, calledOff);
    if (stopped.signal.aborted) return;
    progress.moves();
    const rule = waitsBy(verified);
    await write({ row, ...(rule && mayWait(row, rule) ? {} : conclude(row, verified)) });
  }

  /** Ends the addresses over which too many processes died. */
  async function endPoison(): Promise<void> {
    for (const row of await claimSuspects(db, processId, 'poison', MOST_CLAIMED)) {
      claims.add(row);
      log('error', 'poison', { batch: row.batch_id, place: row.place });
      await write({ row, result: toBatchResult(faultResult(row.address)) });
    }
  }

  /** The next look releases it, so that it is ready when the batch is resumed. */
  function giveUp(row: Row): void {
    queue.leave(row);
    claims.remove(row);
    beginAll();
    wake();
  }

  /** @returns undefined for a verification that failed */
  async function ask(
    { address, accept_all }: ClaimedRow,
    calledOff: AbortSignal,
  ): Promise<Verified | undefined> {
    try {
      const verified = await verifier({
        ...{ address, smtp: true, acceptAll: accept_all ?? catchAllByDefault },
        ...{ timeoutMs: PATIENCE_MS, inBackground: true, calledOff },
      });
      return verified.result ? verified : await verified.later;
    } catch (error) {
      log('error', 'verification of a batch failed', describeError(error));
      return undefined;
    }
  }

  /** Retries until the database accepts it. */
  async function write(one: Finish & { readonly row: ClaimedRow }): Promise<void> {
    const written = await keepTrying(
      () => untilWritten(finish.run(one)),
      stopped.signal,
      (error) => log('warn', 'result of a batch not written yet', describeError(error)),
    );
    if (written) claims.remove(one.row);
  }

  function untilWritten(call: Promise<ClaimOutcome>): Promise<ClaimOutcome> {
    const run = call.finally(() => writing.delete(run));
    writing.add(run);
    return run;
  }

  function closeFor(name: string, ms: number): void {
    queue.close(name);
    const open = () => {
      queue.open(name);
      beginAll();
    };
    void pause(ms, undefined, { signal: stopped.signal }).then(open, () => {});
  }

  wake();
  return {
    /** Looks for work now. Call it when a batch was created. */
    wake,
    /** How long this worker has had addresses to verify without progress. */
    stalledMs: progress.stalledMs,
    /** How many addresses it is verifying now. */
    atWork: () => atWork.size,
    /** Waits briefly for running addresses, and releases the rest to other processes. */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      bucket.stop();
      await poller.stop();
      await within(Math.min(graceMs, LONGEST_STOP_MS), Promise.all([...atWork, ...completing.values()]));
      stopped.abort();
      // The release passes over rows that are being written, and the process signs off after it.
      await within(LONGEST_RECORD_MS, Promise.allSettled(writing));
      await releaseRows(db, processId, []);
    },
  };
}

/** The rule of a verification that is no result, because others are in progress. */
function waitsBy(verified: Verified | undefined): string | undefined {
  const rule = verified?.evidence.at(-1)?.rule;
  return rule === HELD_BACK || rule === FACT_AWAITED ? rule : undefined;
}

/** In an old batch, an address is not held back for ever. Another conversation asks about a domain for a minute at most. */
const mayWait = ({ is_old }: ClaimedRow, rule: string) => rule === FACT_AWAITED || !is_old;
