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
  // The owner of each account becomes a person, with the same address and the same password.
  `insert into persons (id, email, email_key, password_hash, created_at)
     select 'per_' || substr(id, 5), owner_email, email_key, password_hash, created_at
     from accounts where deleted_at is null`,
  `insert into members (account_id, person_id, role, created_at)
     select id, 'per_' || substr(id, 5), 'owner', created_at from accounts where deleted_at is null`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
