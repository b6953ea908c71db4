/** Writes the sample history of the demo account. No other code writes rows with times in the past. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Verifier } from '../../engine/verifier.ts';
import type { Reason } from '../../protocol/result.ts';
import { atOnce } from '../../shared/steps.ts';
import { completeBatch, insertBatch, storeResults } from '../batch/batch-store.ts';
import { allOf } from '../batch/entries/collected-entries.ts';
import { parseAddresses } from '../batch/parse-addresses.ts';
import { verifySamples } from '../batch/samples.ts';
import { DEFAULT_DURATIONS } from '../config/sections/durations-section.ts';
import { makeId } from '../core/random-id.ts';
import type { Db, LedgerReason } from '../database/schema.ts';
import {
  DAY_MS,
  SAMPLE_LISTS,
  type SampleList,
  type SampleVerification,
  sampleVerifications,
} from './demo-history.ts';

interface Change {
  readonly at: Date;
  readonly amount: number;
  readonly why: LedgerReason;
  readonly of: string | null;
}

interface Result {
  readonly day: string;
  readonly source: 'verify' | 'batch';
  readonly reason: Reason;
  /** Whether its credit was given back when it was stored. */
  readonly isRefunded: boolean;
}

export interface HistoryOptions {
  readonly accountId: string;
  /** The account's credits at the end. */
  readonly credits: number;
  readonly verifier: Verifier;
  readonly now: Date;
}

const MINUTE_MS = 60_000;
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Call it once, in the transaction that creates the account without credits. */
export async function insertHistory(db: Db, options: HistoryOptions): Promise<void> {
  const { accountId, credits, now } = options;
  const end = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const changes: Change[] = [];
  const results: Result[] = [];
  for (const verification of sampleVerifications(end)) {
    changes.push(...changesOf(verification));
    const { at, reason, isRefunded } = verification;
    results.push({ day: dayOf(at), source: 'verify', reason, isRefunded });
  }
  for (const list of SAMPLE_LISTS) {
    const at = new Date(end.getTime() - list.ageMs);
    const batch = await insertSampleBatch(db, options, list, at);
    changes.push({ at, amount: -batch.distinct, why: 'batch', of: batch.id });
    if (batch.unknown > 0)
      changes.push({ at: batch.completedAt, amount: batch.unknown, why: 'batch-refund', of: batch.id });
    for (const reason of batch.reasons)
      results.push({ day: dayOf(batch.completedAt), source: 'batch', reason, isRefunded: false });
    const actor = { actor: 'owner', actor_name: 'Sample owner' } as const;
    const event = { action: 'batch.create', subject_id: batch.id, subject_name: list.name };
    await db
      .insertInto('audit')
      .values({ account_id: accountId, at, ...actor, ...event })
      .execute();
  }
  const spent = changes.reduce((sum, { amount }) => sum - amount, 0);
  // Before the first day, so that the chart starts with them.
  const first = new Date(end.getTime() - 7 * DAY_MS - MINUTE_MS);
  changes.push({ at: first, amount: credits + spent, why: 'top-up', of: 'Sample credits' });
  await insertLedger(db, accountId, changes);
  await replaceResults(db, accountId, results);
}

function changesOf({ at, isRefunded }: SampleVerification): Change[] {
  const of = randomUUID();
  const taken: Change = { at, amount: -1, why: 'verification', of };
  return isRefunded ? [taken, { at: new Date(at.getTime() + 4_000), amount: 1, why: 'refund', of }] : [taken];
}

/** Inserts the changes in order of time, each with the balance after it. */
async function insertLedger(db: Db, accountId: string, changes: readonly Change[]): Promise<void> {
  let balance = 0;
  const rows = [...changes]
    .sort((one, other) => one.at.getTime() - other.at.getTime() || other.amount - one.amount)
    .map(({ at, amount, why, of }) => {
      balance += amount;
      return { account_id: accountId, at, amount, why, of, balance };
    });
  await db.insertInto('ledger').values(rows).execute();
  await db.updateTable('accounts').set({ available_credits: balance }).where('id', '=', accountId).execute();
}

/** Moves the counts of the new batches' results from today to their days. */
async function replaceResults(db: Db, accountId: string, results: readonly Result[]): Promise<void> {
  await db.deleteFrom('daily_results').where('account_id', '=', accountId).execute();
  const counts = new Map<string, Omit<Result, 'isRefunded'> & { count: number; refunded: number }>();
  for (const { isRefunded, ...result } of results) {
    const name = Object.values(result).join(' ');
    const { count, refunded } = counts.get(name) ?? { count: 0, refunded: 0 };
    counts.set(name, { ...result, count: count + 1, refunded: refunded + (isRefunded ? 1 : 0) });
  }
  const rows = [...counts.values()].map((row) => ({ account_id: accountId, mode: 'live' as const, ...row }));
  await db.insertInto('daily_results').values(rows).execute();
}

async function insertSampleBatch(db: Db, options: HistoryOptions, list: SampleList, at: Date) {
  const { accountId, verifier } = options;
  const id = makeId();
  const addresses = list.rows.map((cells) => cells[list.addressColumn]!);
  const parsed = atOnce(parseAddresses(addresses, addresses.length));
  const mode = 'live' as const;
  await insertBatch(db, {
    ...{ id, accountId, mode, total: parsed.total, entries: parsed.entries },
    ...{ responseFields: null, retries: true, url: list.url },
  });
  const entries = await allOf(parsed.entries);
  const rows = entries.map(({ address }, place) => ({ place, address, accept_all: null }));
  const results = await verifySamples(verifier, rows.slice(0, list.verified));
  await storeResults(db, id, results);
  const isCompleted = results.length === entries.length;
  const completedAt = new Date(at.getTime() + 9 * MINUTE_MS);
  if (isCompleted) await completeBatch(db, id, DEFAULT_DURATIONS);
  await sql`
    update batches set
      name = ${list.name},
      created_at = ${at},
      completed_at = case when completed_at is not null then ${completedAt}::timestamptz end,
      expires_at = case when completed_at is not null then ${completedAt}::timestamptz + (expires_at - completed_at) end,
      paused_at = case when completed_at is null then ${completedAt}::timestamptz end
    where id = ${id}
  `.execute(db);
  if (list.url !== null) await giveUpCallback(db, id, completedAt);
  await insertList(db, accountId, id, list, at);
  const reasons = results.map(({ result }) => result.reason);
  const unknown = isCompleted ? results.filter(({ result }) => result.state === 'unknown').length : 0;
  return { id, distinct: entries.length, completedAt, reasons, unknown };
}

/** Adds three tries that the receiver answered with an error. */
async function giveUpCallback(db: Db, batchId: string, completedAt: Date): Promise<void> {
  const tries = [0, 1, 2].map((hours) => new Date(completedAt.getTime() + hours * 60 * MINUTE_MS));
  await db
    .updateTable('callbacks')
    .set({ due_at: null, attempt: tries.length, tried_at: tries.at(-1)!, given_up_at: tries.at(-1)! })
    .where('batch_id', '=', batchId)
    .execute();
  const error = 'The receiver answered with 500 Internal Server Error. Expected 200.';
  const row = { batch_id: batchId, status: 500, error, duration_ms: 180 };
  const rows = tries.map((at, index) => ({ ...row, number: index + 1, at }));
  await db.insertInto('callback_tries').values(rows).execute();
}

async function insertList(db: Db, accountId: string, batchId: string, list: SampleList, at: Date) {
  const id = makeId();
  const { name, header, rows, addressColumn } = list;
  await db
    .insertInto('lists')
    .values({
      ...{ id, account_id: accountId, batch_id: batchId, name, header: JSON.stringify(header) },
      ...{ columns: header.length, row_count: rows.length, address_column: addressColumn, created_at: at },
    })
    .execute();
  const places = new Map<string, number>();
  const cells = rows.map((row, number) => {
    const address = row[addressColumn]!.trim().toLowerCase();
    if (address !== '' && !places.has(address)) places.set(address, places.size);
    return { list_id: id, number, cells: JSON.stringify(row), place: places.get(address) ?? null };
  });
  await db.insertInto('list_rows').values(cells).execute();
}

/** Adds a refusal of the demo's public key on a page that it does not trust. */
export async function insertRefusal(db: Db, keyId: string, now: Date): Promise<void> {
  const last = new Date(now.getTime() - 20 * 60 * MINUTE_MS);
  await db
    .insertInto('key_refusals')
    .values({
      ...{ key_id: keyId, reason: 'origin', seen_from: 'https://sample-shop.example', count: 12 },
      ...{ first_at: new Date(last.getTime() - DAY_MS), last_at: last },
    })
    .execute();
}
