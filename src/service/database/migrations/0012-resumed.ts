/** When a paused batch was resumed. From then on, its addresses have another day to be asked about. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batches add resumed_at timestamptz`.execute(db);
}
