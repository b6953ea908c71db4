/** How many rows of a list are not in its batch. To count them would read the whole list each time that a page says so. */
import { type Kysely, sql } from 'kysely';

/** Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table lists add blank_rows integer, add erased_rows integer not null default 0
  `.execute(db);
}
