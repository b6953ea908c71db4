/** The SQL of metrics: reads with a time limit. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** The server ends each statement of the read after `ms`. */
export async function readWithin<Result>(
  db: Db,
  ms: number,
  read: (db: Db) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(transaction);
    return read(transaction);
  });
}
