/** The changes of a statement are joined by a hash, however few rows the first statement of a connection has changed. */
import { type Kysely, sql } from 'kysely';

/** Changes two functions of triggers. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['count_results', 'queue_released'])
    await sql`alter function ${sql.raw(name)}() set enable_nestloop to off`.execute(db);
}
