/** What a provider needs to end the sessions of a person who signs out there. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `create table provider_sessions (
     session_id bytea primary key references sessions on delete cascade,
     issuer text not null,
     subject text not null,
     sid text check (sid <> '')
   );
   create index provider_sessions_by_subject on provider_sessions (issuer, subject);
   create index provider_sessions_by_sid on provider_sessions (issuer, sid) where sid is not null`,
  // Each logout token counts once. The digest is of its issuer and its id.
  `create table logout_tokens (
     id bytea primary key check (length(id) = 32),
     expires_at timestamptz not null
   );
   create index logout_tokens_by_end on logout_tokens (expires_at)`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
