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

/**
 * The same for a function that may change its mind.
 *
 * @param run gets `rollBack`, which undoes what was written, and makes its value the result
 */
export async function tryInTransaction<Result>(
  db: Db,
  run: (transaction: Db, rollBack: (result: Result) => never) => Promise<Result>,
): Promise<Result> {
  const undone = new Error('the transaction is rolled back');
  let result: Result;
  const rollBack = (given: Result): never => {
    result = given;
    throw undone;
  };
  return inTransaction(db, (transaction) => run(transaction, rollBack)).catch((error: unknown) => {
    if (error !== undone) throw error;
    return result;
  });
}

/** From now on, the transaction fails if a lock does not become free within `ms`. */
export async function limitLocks(transaction: Db, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(Math.ceil(ms))}, true)`.execute(transaction);
}
