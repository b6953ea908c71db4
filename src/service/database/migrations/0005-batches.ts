/** The tables of batches. Constraints keep a batch and its results consistent. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `create table batches (
     id text primary key check (id ~ '^[0-9a-f]{24}$'),
     account_id text not null references accounts on delete cascade,
     mode text not null check (mode in ('test', 'live')),
     total integer not null,
     distinct_total integer not null check (distinct_total between 1 and total),
     response_fields text[] check (cardinality(response_fields) >= 1),
     retries boolean not null,
     url text,
     created_at timestamptz not null default now(),
     paused_at timestamptz,
     completed_at timestamptz,
     expires_at timestamptz,
     emptied_at timestamptz,
     reason_counts jsonb,
     constraint batches_completed_whole check (
       (completed_at is null) = (expires_at is null) and (completed_at is null) = (reason_counts is null)
     ),
     constraint batches_emptied_when_completed check (emptied_at is null or completed_at is not null),
     constraint batches_completed_not_paused check (paused_at is null or completed_at is null)
   );
   create index batches_of_account on batches (account_id);
   create index batches_open on batches (created_at) where completed_at is null;
   create index batches_to_empty on batches (expires_at) where emptied_at is null`,
  // Clients may send characters that a text of PostgreSQL cannot have, such as NUL. JSON escapes them.
  `create table batch_rows (
     batch_id text not null references batches on delete cascade,
     place integer not null check (place >= 0),
     address json not null,
     duplicates integer not null default 0 check (duplicates >= 0),
     reason text check (reason in (
       'accepted_email', 'invalid_domain', 'invalid_email', 'invalid_smtp', 'low_deliverability', 'low_quality',
       'no_connect', 'rejected_email', 'timeout', 'unavailable_smtp', 'unexpected_error'
     )),
     result json,
     primary key (batch_id, place),
     constraint batch_rows_result_whole check ((reason is null) = (result is null))
   );
   create index batch_rows_open on batch_rows (batch_id, place) where reason is null`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
