/** Checks whether a database is in use, before a command copies it or writes into it. */
import { sql } from 'kysely';
import { DatabaseError } from '../database-error.ts';
import type { Db } from '../schema.ts';

/** @param which `source` or `target` @throws {DatabaseError} if a process of the service is alive */
export async function refuseServed(db: Db, which: string): Promise<void> {
  const row = await db
    .selectFrom('processes')
    .select('id')
    .where(sql<boolean>`is_process_alive(id)`)
    .executeTakeFirst();
  if (!row) return;
  throw new DatabaseError(`Expected no service on the ${which} database, got one that runs. Stop it first.`);
}

/** @throws {DatabaseError} if the database has accounts, which a command must not mix with others */
export async function refuseTaken(db: Db): Promise<void> {
  const taken = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  if (!taken) return;
  throw new DatabaseError(
    'Expected a target database without accounts, got one that has some. Use a new database.',
  );
}
