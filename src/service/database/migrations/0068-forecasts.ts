/** A sample of a list, verified before its batch, and whether the operator gives the sample away. */
import { type Kysely, sql } from 'kysely';

/** Makes the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batches add is_free boolean not null default false`.execute(db);
  await sql`alter table lists add sample_id text`.execute(db);
}
