/** Each sheet of a workbook is a draft of its own, and its owner starts one of them. */
import { type Kysely, sql } from 'kysely';

/** Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lists add upload_id text`.execute(db);
}
