/** The file of a draft whose encoding is a guess, so that its owner can choose another one. */
import { type Kysely, sql } from 'kysely';

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table list_files (
      list_id text not null references lists on delete cascade,
      number integer not null check (number >= 0),
      bytes bytea not null,
      primary key (list_id, number)
    )
  `.execute(db);
}
