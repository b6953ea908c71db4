/** Persons, who sign in, and the accounts that they are members of. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Without a password, a person signs in in another way, such as with a passkey.
  `create table persons (
     id text primary key check (id ~ '^per_'),
     email text not null,
     email_key text not null unique,
     password_hash text check (password_hash <> ''),
     created_at timestamptz not null default clock_timestamp()
   )`,
  `create table members (
     account_id text not null references accounts on delete cascade,
     person_id text not null references persons on delete cascade,
     role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
     created_at timestamptz not null default clock_timestamp(),
     primary key (account_id, person_id)
   );
   create index members_of_person on members (person_id, created_at)`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
