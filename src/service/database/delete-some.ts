/** Deletes rows a few at a time, so that no statement takes long. */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Schema } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** How many rows a statement deletes at most. It takes some 50 ms. */
export const MOST_DELETED = 5_000;

/**
 * Runs a deletion in chunks with an index. While there are many such rows, the planner would look for a few of them in the
 * whole table, from its beginning. It would go through all that it has deleted before, and for the last few through all
 * others.
 */
export async function withIndex<Result>(db: Db, run: (transaction: Db) => Promise<Result>): Promise<Result> {
  return inTransaction(db, async (transaction) => {
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(transaction);
    return run(transaction);
  });
}

/**
 * Deletes some of the rows that meet a condition. Skips locked rows, so several processes may do it at once without
 * waiting for each other. An index must find the rows, so a condition has `statement_timestamp()`, because none is used
 * for `clock_timestamp()`.
 *
 * @returns whether there may be more to delete
 */
export async function deleteSome(
  db: Db,
  table: keyof Schema,
  condition: RawBuilder<boolean>,
  most = MOST_DELETED,
): Promise<boolean> {
  return withIndex(db, async (transaction) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${most} for update skip locked
      ))
    `.execute(transaction);
    return numAffectedRows >= most;
  });
}
