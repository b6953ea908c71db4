/** The sample of a list, which is verified before the list. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lists add sample_id text`.execute(db);
}
