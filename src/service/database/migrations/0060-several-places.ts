/** A row of a list may have several addresses of its batch. */
import { type Kysely, sql } from 'kysely';

/** Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table list_rows add places integer[]`.execute(db);
}
