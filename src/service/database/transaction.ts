/** Transactions that can join the caller's transaction. */
import type { Transaction } from 'kysely';
import type { Db, Schema } from './schema.ts';

/** Runs the function in a new transaction, or in the one that `db` already is. */
export async function inTransaction<Result>(
  db: Db,
  run: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return run(db as Transaction<Schema>);
  return db.transaction().execute(run);
}
