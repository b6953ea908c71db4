/**
 * The metrics that all processes on one database share: the queue, the callbacks and the processes. They are read at a
 * scrape, within a time limit, and cached for a while. An unreachable database does not delay a scrape: these metrics
 * are then missing, and those of the process are present.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import { within } from '../../../shared/within.ts';
import { countCallbacks } from '../../batch/callbacks/callback-store.ts';
import { readQueueSizes, readQueueWaits } from '../../batch/overview/batch-overview-store.ts';
import { readAudit } from '../../books/night-store.ts';
import { countOpenPayments } from '../../credits/billing/payment-store.ts';
import { readServerClock } from '../../database/database-clock.ts';
import type { Db } from '../../database/schema.ts';
import { listProcesses } from '../../jobs/process-store.ts';
import { readRunning } from '../../verify/live/live-store.ts';
import { readWithin } from './metrics-store.ts';
import { nameOf } from './process-counters.ts';

/** The source of the metrics. */
export interface SharedSource {
  readonly db: Db;
  isReady(): boolean;
}

export interface SharedOptions {
  /** How long a scrape waits. */
  readonly patienceMs?: number;
  /** How long metrics are cached. */
  readonly keepMs?: number;
}

const MODES = ['live', 'test'] as const;
const STATES = ['ready', 'claimed', 'later', 'paused'] as const;
const CALLBACKS = ['due', 'retry', 'being sent', 'given up'] as const;

export function createSharedMetrics(
  registry: Registry,
  { patienceMs = 1_000, keepMs = 10_000 }: SharedOptions = {},
) {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers });
  const queue = gauge(
    'evw_queue_addresses',
    'Addresses of open batches in all processes. "ready": can be verified now. "claimed": being verified. "later": wait for a retry. "paused": wait until somebody resumes the batch.',
    ['mode', 'state'],
  );
  const wait = gauge(
    'evw_queue_wait_seconds',
    'The longest time that a batch has waited to begin. Paused batches do not count.',
    ['mode'],
  );
  const running = gauge(
    'evw_verifications_running',
    'Live verifications of requests in all processes. "dead": their process died, and another one gives their credits back within seconds.',
    ['process'],
  );
  const callbacks = gauge(
    'evw_callbacks',
    'Callbacks that are not delivered, in all processes. "due": can be sent now. "retry": failed, and tried again later. "being_sent": a process sends it. "given_up": failed for the last time, and its batch still has its results.',
    ['state'],
  );
  const callbackWait = gauge(
    'evw_callback_wait_seconds',
    'The longest time that a due callback has waited.',
    ['state'],
  );
  const payments = gauge(
    'evw_payments',
    'Payments that your billing service has neither made nor refused yet, in all processes.',
    ['state'],
  );
  const paymentWait = gauge(
    'evw_payment_wait_seconds',
    'The longest time that an open payment has waited for your billing service.',
    ['state'],
  );
  const processes = gauge(
    'evw_processes',
    'Processes that use the database. A process is "dead" when it has lost its lock, or 30 seconds after its last heartbeat, and listed for a minute.',
    ['state'],
  );
  const differences = gauge(
    'evw_book_differences',
    'Differences that the latest audit of the books has found. 0 before the first audit.',
    ['audit'],
  );
  const auditLate = gauge(
    'evw_book_audit_late_seconds',
    'How long an audit of the books has been due that has not ended. It is due every night at 2:00 UTC.',
    ['audit'],
  );
  const failures = new Counter({
    name: 'evw_shared_figures_failures_total',
    help: 'Scrapes without the metrics of all processes, because the database did not return them in time.',
    registers,
  });
  const all = [
    ...[queue, wait, running, callbacks, callbackWait, payments, paymentWait, processes],
    ...[differences, auditLate],
  ];

  /** Each sets its gauges together, once it has read all their values. */
  const reads: readonly ((db: Db) => Promise<void>)[] = [
    async (db) => {
      const waits = await readQueueWaits(db);
      for (const mode of MODES) wait.set({ mode }, waits.find((one) => one.mode === mode)?.seconds ?? 0);
    },
    async (db) => {
      const sizes = await readQueueSizes(db);
      for (const mode of MODES) {
        const size = sizes.find((one) => one.mode === mode);
        for (const state of STATES) queue.set({ mode, state }, size?.[state] ?? 0);
      }
    },
    async (db) => {
      const found = await readRunning(db);
      const count = (isAlive: boolean) => found.find(({ is_alive }) => is_alive === isAlive)?.count ?? 0;
      running.set({ process: 'alive' }, count(true));
      running.set({ process: 'dead' }, count(false));
    },
    async (db) => {
      const now = await readServerClock(db);
      const found = await countCallbacks(db);
      for (const state of CALLBACKS) {
        const count = found.find((one) => one.state === state)?.count ?? 0;
        callbacks.set({ state: nameOf(state) }, count);
      }
      const due = found.find(({ state }) => state === 'due');
      callbackWait.set({ state: 'due' }, due ? Math.max(0, Number(now) - Number(due.since)) / 1000 : 0);
    },
    async (db) => {
      const now = await readServerClock(db);
      const { count, since } = await countOpenPayments(db);
      payments.set({ state: 'open' }, count);
      paymentWait.set({ state: 'open' }, since ? Math.max(0, now - Number(since)) / 1000 : 0);
    },
    async (db) => {
      const found = await listProcesses(db);
      const alive = found.filter(({ is_alive }) => is_alive).length;
      processes.set({ state: 'alive' }, alive);
      processes.set({ state: 'dead' }, found.length - alive);
    },
    async (db) => {
      const audit = await readAudit(db);
      differences.set({ audit: 'latest' }, audit?.difference_count ?? 0);
      auditLate.set({ audit: 'next' }, audit?.late_seconds ?? 0);
    },
  ];

  let reading: Promise<boolean> | undefined;
  let goodUntil = Number.NEGATIVE_INFINITY;

  /** @returns whether everything was read. Unread metrics are missing. */
  async function readAll(db: Db): Promise<boolean> {
    let isWhole = true;
    for (const metric of all) metric.reset();
    for (const read of reads) {
      try {
        await readWithin(db, patienceMs, read);
      } catch {
        // The database logs its own errors.
        isWhole = false;
      }
    }
    if (isWhole) goodUntil = performance.now() + keepMs;
    return isWhole;
  }

  return {
    /** Resolves within a second, with or without new metrics. */
    async refresh(source: SharedSource | undefined): Promise<void> {
      if (!source) return;
      const isFresh = performance.now() < goodUntil;
      if (source.isReady() && isFresh) return;
      if (!source.isReady()) {
        goodUntil = Number.NEGATIVE_INFINITY;
        for (const metric of all) metric.reset();
        return failures.inc();
      }
      reading ??= readAll(source.db).finally(() => {
        reading = undefined;
      });
      if (!(await within(patienceMs, reading, false))) failures.inc();
    },
  };
}
