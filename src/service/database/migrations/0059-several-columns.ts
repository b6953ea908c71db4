/** A list may have several columns of addresses. */
import { type Kysely, sql } from 'kysely';

/** Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table lists add address_columns integer[]`.execute(db);
}
