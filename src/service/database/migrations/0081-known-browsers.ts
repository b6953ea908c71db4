/** The browsers in which a person has signed in. Before, a browser's token was computed from the person's password. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `id` is the digest of a cookie's value. `network` is that of the latest sign-in.
  `create table known_browsers (
     person_id text not null references persons on delete cascade,
     id bytea not null check (octet_length(id) = 32),
     user_agent text check (length(user_agent) <= 400),
     network text check (length(network) <= 50),
     created_at timestamptz not null default clock_timestamp(),
     used_at timestamptz not null default clock_timestamp(),
     primary key (person_id, id)
   )`,
  `create index known_browsers_by_use on known_browsers (used_at)`,
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
