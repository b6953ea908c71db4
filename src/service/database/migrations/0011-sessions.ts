/** The tables of sessions, and of wrong guesses at passwords and codes. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `create table sessions (
     id bytea primary key check (octet_length(id) = 32),
     account_id text not null references accounts on delete cascade,
     created_at timestamptz not null default clock_timestamp(),
     expires_at timestamptz not null,
     constraint sessions_end_after_begin check (expires_at > created_at)
   );
   create index sessions_of_account on sessions (account_id);
   create index sessions_by_end on sessions (expires_at)`,
  // Without a reference to accounts, because guesses at accounts that do not exist count too.
  `create table guesses (
     subject bytea primary key check (octet_length(subject) = 32),
     wrong integer not null check (wrong >= 0),
     paused_until timestamptz,
     guessed_at timestamptz not null default clock_timestamp()
   );
   create index guesses_by_age on guesses (guessed_at)`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
