/** The time when a paused batch was resumed. From then on, its addresses may be retried for another day. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batches add resumed_at timestamptz`.execute(db);
}
