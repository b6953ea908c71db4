/** Transactions that can join the caller's transaction. */
import { sql, type Transaction } from 'kysely';
import type { Db, Schema } from './schema.ts';

/** Runs the function in a new transaction, or in the one that `db` already is. */
export async function inTransaction<Result>(
  db: Db,
  run: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return run(db as Transaction<Schema>);
  return db.transaction().execute(run);
}

/** From now on, the transaction fails if a lock does not become free within `ms`. */
export async function limitLocks(transaction: Db, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(Math.ceil(ms))}, true)`.execute(transaction);
}
