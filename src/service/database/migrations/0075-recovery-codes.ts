/** Recovery codes, for people who have lost their second factor. */
import { type Kysely, sql } from 'kysely';

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The use of a code deletes its row.
  await sql`
    create table recovery_codes (
      digest bytea primary key check (octet_length(digest) = 32),
      person_id text not null references persons on delete cascade,
      created_at timestamptz not null default clock_timestamp()
    )
  `.execute(db);
  await sql`create index recovery_codes_of_person on recovery_codes (person_id)`.execute(db);
}
