/**
 * The lease of a process: the others take it for alive while it holds a lock of the database that belongs to a session of
 * its own, and beats in that session. So the death of a process shows within seconds, and a clock that is set does not
 * matter. One that keeps its lock but has stopped beating counts as dead after 30 seconds.
 *
 * A process that lost its lock takes it again under the same id. What others took over meanwhile has another owner or
 * another attempt, so its late results have no effect.
 */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { within } from '../../shared/within.ts';
import { describeError, type Log } from '../core/log.ts';
import type { Session } from '../database/session.ts';
import { DatabaseAwayError } from '../database/unavailable.ts';
import type { Lease } from '../deps/lease.ts';
import type { JobMonitor } from './job-monitor.ts';
import { createPoller, type Poller } from './poller.ts';
import { endHolders, releaseLock, removeProcess, takeLock, touchProcess } from './process-store.ts';

const BEAT_EVERY_MS = 1_000;
/** After this time without a beat, the process starts nothing. Others wait for three times as long. */
const SILENCE_MS = 10_000;
/** How long a request waits for the lease. A new session takes some milliseconds. */
const WAIT_MS = 1_000;
/** How often to try to take the lock, and how long to wait before each further time. */
const MOST_TRIES = 20;
const RETRY_MS = 100;

export interface ProcessLease extends Lease {
  /**
   * Returns once the others know the process. Do not start work before, because they would take it over.
   *
   * @param onDeath called after each beat that finds a dead process
   */
  start(options: {
    readonly monitor?: JobMonitor | undefined;
    readonly everyMs?: number | undefined;
    readonly onDeath?: () => void;
  }): Promise<void>;
  /** Marks the process as ended, so call it when all work is done. */
  stop(): Promise<void>;
}

export interface ProcessLeaseOptions {
  readonly processId: string;
  readonly log: Log;
  readonly openSession: () => Promise<Session>;
  /** A clock that is never set back, in milliseconds. */
  readonly now?: () => number;
}

export function createProcessLease(options: ProcessLeaseOptions): ProcessLease {
  const { processId, log, openSession, now = () => performance.now() } = options;
  const place = { host: hostname(), pid: process.pid };
  let session: Session | undefined;
  let beatenAt = Number.NEGATIVE_INFINITY;
  /** Where its row in the database was last. */
  let row: string | undefined;
  let poller: Poller | undefined;
  let suspect: Promise<unknown> = Promise.resolve();
  const waiting = new Set<() => void>();

  const isHeld = () => session !== undefined && now() - beatenAt < SILENCE_MS;

  /** The locked session. */
  async function lock(): Promise<Session> {
    const fresh = await openSession();
    try {
      for (let tries = 1; !(await takeLock(fresh.db, processId)); tries += 1) {
        if (tries === MOST_TRIES) throw new DatabaseAwayError('The lock of this process is taken.');
        // An earlier session of this process, whose end the server has not noticed.
        await endHolders(fresh.db, processId);
        await pause(RETRY_MS);
      }
    } catch (error) {
      fresh.close();
      throw error;
    }
    void fresh.ended.then(() => lose(fresh));
    return fresh;
  }

  function lose(lost: Session): void {
    if (session !== lost) return;
    session = undefined;
    lost.close();
    log('warn', 'lease lost');
    poller?.wake();
  }

  async function beat(onDeath?: () => void): Promise<void> {
    session ??= await lock();
    const current = session;
    try {
      const seen = await touchProcess(current.db, processId, place, row);
      row = seen.row;
      beatenAt = now();
      for (const resolve of waiting) resolve();
      waiting.clear();
      if (seen.hasDead) onDeath?.();
    } catch (error) {
      lose(current);
      throw error;
    }
  }

  return {
    isHeld,
    async expectHeld() {
      if (isHeld()) return;
      // The database may be back since the last look.
      poller?.wake();
      const held = new Promise<void>((resolve) => waiting.add(resolve));
      await within(WAIT_MS, held);
      if (!isHeld()) throw new DatabaseAwayError('This process has lost its lock in the database.');
    },
    runSuspect(run) {
      const result = suspect.then(run);
      suspect = result.catch(() => {});
      return result;
    },
    async start({ monitor, everyMs = BEAT_EVERY_MS, onDeath }) {
      await beat(onDeath);
      poller = createPoller({
        async look() {
          // The first look comes right after the first beat.
          if (session === undefined || now() - beatenAt > everyMs / 2) await beat(onDeath);
        },
        ...{ everyMs, log, failure: 'heartbeat failed', monitor },
      });
      poller.wake();
    },
    async stop() {
      await poller?.stop();
      const last = session;
      session = undefined;
      if (!last) return;
      try {
        await removeProcess(last.db, processId);
        await releaseLock(last.db, processId);
      } catch (error) {
        log('warn', 'process not removed', describeError(error));
      }
      last.close();
    },
  };
}
