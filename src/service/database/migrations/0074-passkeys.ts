/** Passkeys, and the key of their challenges. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The id is the credential's, in base64url. `challenged_at`: when the challenge of the last sign-in was made. An older
  // challenge is never accepted again.
  `create table passkeys (
     id text primary key check (id ~ '^[A-Za-z0-9_-]+$' and length(id) <= 1400),
     person_id text not null references persons on delete cascade,
     public_key bytea not null,
     counter bigint not null check (counter >= 0),
     transports text[] not null,
     name text not null check (char_length(name) between 1 and 60),
     created_at timestamptz not null default clock_timestamp(),
     used_at timestamptz,
     challenged_at timestamptz not null
   );
   create index passkeys_of_person on passkeys (person_id, created_at)`,
  // One row, which the first process that needs it makes. It signs challenges, so that none need be stored for strangers.
  `create table challenge_keys (
     id boolean primary key default true check (id),
     key bytea not null check (octet_length(key) = 32)
   )`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
