/** Queues the batches that were open before, and finds those that their workers have not completed. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `select queue_batches(array(
     select id from batches where completed_at is null and paused_at is null and exists (
       select from batch_rows
       where batch_id = batches.id and reason is null and process_id is null and due_at is null
     )
   ))`,
  `update batch_progress set is_new = true where batch_id in (
     select id from batches where completed_at is null and distinct_total = (
       select sum(count) from batch_progress where batch_id = batches.id
     )
   )`,
];

/** Makes them. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
