/** Where a row of a list is in its file, if the file has empty rows before it. Null for what earlier versions store. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table list_rows add column file_row integer`.execute(db);
}
