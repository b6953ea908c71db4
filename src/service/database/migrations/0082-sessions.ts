/** Where a session has begun, and when it ends if nobody uses it. Null for a session of the version before. */
import { type Kysely, sql } from 'kysely';

/** Makes the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `browser_id` is the browser's in `known_browsers`. It has no reference, because a session can outlive it. A check would read all sessions.
  await sql`
    alter table sessions
      add network text,
      add browser_id bytea,
      add idle_at timestamptz
  `.execute(db);
}
