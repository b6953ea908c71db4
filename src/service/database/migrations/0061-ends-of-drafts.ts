/** When a draft can no longer be started, as `durations.review` says. Null for drafts that an earlier version stores. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lists add column ends_at timestamptz`.execute(db);
}
