/** The waiting, running and failed work of all processes, for the operator. */
import { callbackJobs } from '../batch/callbacks/callback-jobs.ts';
import { batchJobs } from '../batch/overview/batch-jobs.ts';
import type { JobLine } from '../core/job-line.ts';
import { paymentJobs } from '../credits/billing/payment-jobs.ts';
import { readServerClock } from '../database/database-clock.ts';
import type { Db } from '../database/schema.ts';
import { type KnownProcess, listProcesses } from '../jobs/process-store.ts';
import { accountJobs } from '../people/accounts/account-jobs.ts';
import { verificationJobs } from '../verify/live/live-jobs.ts';
import { readConversations } from '../verify/pacing/pacing-store.ts';

export interface Overview {
  readonly lines: readonly JobLine[];
  readonly processes: readonly KnownProcess[];
}

/** The inputs of a part of the overview. */
interface Moment {
  /** The time of the database. */
  readonly now: Date;
  /** When the oldest conversation of each process with a mail server began. */
  readonly conversations: ReadonlyMap<string, Date>;
}

/** Each room reports its work. */
const PARTS: readonly ((db: Db, moment: Moment) => Promise<readonly JobLine[]>)[] = [
  (db, { now }) => verificationJobs(db, now),
  (db, { now, conversations }) => batchJobs(db, now, conversations),
  (db, { now }) => callbackJobs(db, now),
  (db, { now }) => paymentJobs(db, now),
  (db, { now }) => accountJobs(db, now),
];

/** SQLSTATE of a missing table, column and function. */
const LACKING = new Set(['42P01', '42703', '42883']);

/** @param isOutdated whether the schema may lack what is read. The other value is returned then */
export async function ifThere<Value>(
  isOutdated: boolean,
  reading: Promise<Value>,
  otherwise: Value,
): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (isOutdated && LACKING.has(String((error as { code?: unknown }).code))) return otherwise;
    throw error;
  }
}

/** Omits lines with a count of 0. @param isOutdated whether the schema may lack what some parts read. They are left out */
export async function readOverview(db: Db, isOutdated = false): Promise<Overview> {
  const orNone = <Each>(part: Promise<readonly Each[]>) => ifThere(isOutdated, part, []);
  const held = await orNone(readConversations(db));
  const conversations = new Map(held.map(({ process_id, since }) => [process_id, since]));
  const moment = { now: new Date(await readServerClock(db)), conversations };
  const lines: JobLine[] = [];
  for (const part of PARTS) lines.push(...(await orNone(part(db, moment))));
  return { lines: lines.filter(({ count }) => count > 0), processes: await orNone(listProcesses(db)) };
}

/** The totals by state. */
export function totalsOf({ lines, processes }: Overview) {
  const total = (wanted: JobLine['state']) =>
    lines.reduce((sum, { state, count }) => (state === wanted ? sum + count : sum), 0);
  return {
    waiting: total('waiting'),
    running: total('running'),
    failed: total('failed'),
    processes: processes.filter(({ is_alive }) => is_alive).length,
  };
}
