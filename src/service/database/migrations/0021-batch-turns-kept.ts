/** Queues batches from now on. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  `create constraint trigger queue_batch after insert or update of paused_at on batches
     deferrable initially deferred for each row when (new.paused_at is null and new.completed_at is null)
     execute function queue_batch();
   create trigger queue_deleted_batch after delete on batches for each row execute function queue_batch();
   create trigger queue_released after update on batch_rows referencing old table as before new table as after
     for each statement execute function queue_released()`,
];

/** Makes them. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'batches', 'batch_rows');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
