/** Invitations to accounts. Only an open one has a row: whatever ends it deletes the row. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  // An invitation ends with the person who made it, and a new one for the same address takes its place.
  `create table invitations (
     id text primary key check (id ~ '^inv_'),
     account_id text not null references accounts on delete cascade,
     email text not null,
     email_key text not null,
     role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
     digest bytea not null unique check (octet_length(digest) = 32),
     inviter_id text not null references persons on delete cascade,
     created_at timestamptz not null default clock_timestamp(),
     expires_at timestamptz not null check (expires_at > created_at),
     unique (account_id, email_key)
   )`,
  'create index invitations_by_end on invitations (expires_at)',
  'create index invitations_by_address on invitations (email_key)',
  'create index invitations_of_inviter on invitations (inviter_id)',
];

/** Makes the table. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'accounts', 'persons');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
