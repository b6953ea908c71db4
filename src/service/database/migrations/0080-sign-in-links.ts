/** Links of the operator that let a person in once. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A person has one at most: a new one takes the place of the former.
  `create table sign_in_links (
     person_id text primary key references persons on delete cascade,
     digest bytea not null unique check (octet_length(digest) = 32),
     created_at timestamptz not null default clock_timestamp(),
     expires_at timestamptz not null check (expires_at > created_at)
   )`,
  'create index sign_in_links_by_end on sign_in_links (expires_at)',
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
