/** Checks after every fault that no acknowledged work is lost, and that no verification is charged twice. */
import { sql } from 'kysely';
import type { Db } from '../../src/service/database/schema.ts';
import type { Answer } from './answers.ts';

/** The state of the database after all work is done. */
export interface Books {
  /** Accounts whose credits are not the sum of their ledger, or below zero. */
  readonly wrongBalances: number;
  /** Rows of the ledger whose balance is not the sum up to them. */
  readonly wrongRows: number;
  /** Verifications that were debited more than once, or given back more often than debited. */
  readonly unevenVerifications: number;
  /** Verifications that were debited and not given back. */
  readonly charged: number;
  /** Verifications that still have a row as running. */
  readonly running: number;
  /** Batches that are not completed. */
  readonly openBatches: number;
  /** Batches without exactly one debit, or whose counts do not add up to their addresses. */
  readonly wrongBatches: number;
  /** Batches whose refund differs from their number of unknown results. */
  readonly wrongRefunds: number;
  readonly batchIds: readonly string[];
}

/** The reasons of the state `unknown`, which are free. */
const UNKNOWN = ['no_connect', 'timeout', 'unavailable_smtp', 'unexpected_error'];

export async function readBooks(db: Db): Promise<Books> {
  const { rows } = await sql<Omit<Books, 'batchIds'>>`
    with sums as (
      select account_id, balance, sum(amount) over (partition by account_id order by id) as running,
        row_number() over (partition by account_id order by id desc) as back
      from ledger
    ), verified as (
      select of, count(*) filter (where why = 'verification') as debits,
        count(*) filter (where why = 'refund') as refunds
      from ledger where why in ('verification', 'refund') group by of
    ), batched as (
      select batches.*,
        (select count(*) from ledger where why = 'batch' and of = batches.id) as debits,
        (select coalesce(-sum(amount), 0) from ledger where why = 'batch' and of = batches.id) as debited,
        (select coalesce(sum(amount), 0) from ledger where why = 'batch-refund' and of = batches.id) as refunded,
        (select count(*) from batch_rows where batch_id = batches.id and reason is not null) as results,
        (select coalesce(sum(value::integer), 0) from jsonb_each_text(reason_counts::jsonb)) as counted,
        (select coalesce(sum(value::integer), 0) from jsonb_each_text(reason_counts::jsonb)
          where key in (${sql.join(UNKNOWN)})) as unknown
      from batches
    )
    select
      (select count(*) from accounts left join sums on account_id = id and back = 1
        where available_credits <> coalesce(running, 0) or available_credits < 0) as "wrongBalances",
      (select count(*) from sums where balance <> running) as "wrongRows",
      (select count(*) from verified where debits > 1 or refunds > debits) as "unevenVerifications",
      (select coalesce(sum(debits - refunds), 0)::bigint from verified) as charged,
      (select count(*) from verifications where state = 'running') as running,
      (select count(*) from batched where completed_at is null) as "openBatches",
      (select count(*) from batched where debits <> 1 or debited <> distinct_total
        or (completed_at is not null and (counted <> distinct_total or results <> distinct_total))) as "wrongBatches",
      (select count(*) from batched where completed_at is not null and refunded <> unknown) as "wrongRefunds"
  `.execute(db);
  const batches = await db.selectFrom('batches').select('id').execute();
  return { ...rows[0]!, batchIds: batches.map(({ id }) => id) };
}

/** Sentences about lost work and double charges. */
export interface Judgement {
  readonly lost: readonly string[];
  readonly chargedTwice: readonly string[];
}

/**
 * Compares the database with the responses that clients got.
 *
 * A request whose connection broke, and one with a 249, may have cost its credit or not. All others are certain.
 *
 * @param acknowledged the ids of the batches that got a 200
 */
export function judge(books: Books, answers: readonly Answer[], acknowledged: readonly string[]): Judgement {
  const certain = answers.filter(([, , status, costs]) => status === 200 && costs).length;
  const open = answers.filter(([, , status]) => status === 0 || status === 249).length;
  const missing = acknowledged.filter((id) => !books.batchIds.includes(id));
  const say = (...cases: readonly (readonly [count: number, what: string])[]) =>
    cases.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return {
    lost: say(
      [certain - books.charged, 'results without a charge'],
      [missing.length, 'acknowledged batches that are not there'],
      [books.openBatches, 'batches that were not completed'],
      [books.running, 'verifications that never ended'],
      [books.wrongBatches, 'batches whose counts do not add up'],
    ),
    chargedTwice: say(
      [books.charged - certain - open, 'charges without a request'],
      [books.unevenVerifications, 'verifications with more than one charge'],
      [books.wrongBalances, 'accounts whose credits are not the sum of their ledger'],
      [books.wrongRows, 'rows of the ledger with a wrong balance'],
      [books.wrongRefunds, 'batches with a wrong refund'],
    ),
  };
}
