/** Checks after every fault that no acknowledged work is lost, and that no verification is charged twice. */
import { sql } from 'kysely';
import { auditBooks, sayDifference } from '../../src/service/books/audit-books.ts';
import type { Db } from '../../src/service/database/schema.ts';
import type { Answer } from './answers.ts';

/** The state of the database after all work is done. */
export interface Books {
  /** Verifications that were debited and not given back. */
  readonly charged: number;
  readonly batchIds: readonly string[];
  /** The differences that the audit of the books finds. */
  readonly differences: readonly string[];
}

/** Work that has not ended. */
export interface Unfinished {
  /** Verifications that still have a row as running. */
  readonly running: number;
  /** Batches that are not completed. */
  readonly openBatches: number;
  /** Addresses of batches that have no result. */
  readonly openRows: number;
}

export async function readUnfinished(db: Db): Promise<Unfinished> {
  const { rows } = await sql<Unfinished>`
    select (select count(*) from verifications where state = 'running') as running,
      (select count(*) from batches where completed_at is null) as "openBatches",
      (select count(*) from batch_rows where result is null) as "openRows"
  `.execute(db);
  return rows[0]!;
}

export async function readBooks(db: Db): Promise<Books> {
  const { rows } = await sql<{ charged: number }>`
    select coalesce(sum(case why when 'verification' then 1 else -1 end), 0)::bigint as charged
    from ledger where why in ('verification', 'refund')
  `.execute(db);
  const batches = await db.selectFrom('batches').select('id').execute();
  return {
    charged: rows[0]!.charged,
    batchIds: batches.map(({ id }) => id),
    differences: (await auditBooks(db)).map(sayDifference),
  };
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
export function judge(
  books: Books & Unfinished,
  answers: readonly Answer[],
  acknowledged: readonly string[],
): Judgement {
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
    ),
    chargedTwice: say(
      [books.charged - certain - open, 'charges without a request'],
      [books.differences.length, 'differences in the books'],
    ),
  };
}
