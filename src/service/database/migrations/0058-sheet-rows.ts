/**
 * What a spreadsheet knows of a row besides its texts. Rows that it hides, as a filter does, can be left out of a batch,
 * and its numbers come back as numbers.
 */
import { type Kysely, sql } from 'kysely';

/** Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table list_rows add is_hidden boolean, add numbers json`.execute(db);
}
