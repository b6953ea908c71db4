/** What the dashboard shows and sets: lists, the audit log, results by day, the use of keys, and settings of accounts. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The actor's name is kept as it was: a key or an app may be gone when the log is read.
  `create table audit (
     id bigint generated always as identity primary key,
     account_id text not null references accounts on delete cascade,
     at timestamptz not null default clock_timestamp(),
     actor text not null check (actor in ('owner', 'operator', 'key', 'app')),
     actor_id text,
     actor_name text not null,
     action text not null check (action ~ '^[a-z]+(-[a-z]+)*\\.[a-z]+(-[a-z]+)*$'),
     subject_id text,
     subject_name text,
     details json not null default '{}',
     constraint audit_actor_has_id check ((actor in ('key', 'app')) = (actor_id is not null))
   );
   create index audit_of_account on audit (account_id, id desc)`,
  // A chart, and not the ledger: each process adds what it has counted about once a second.
  `create table daily_results (
     account_id text not null references accounts on delete cascade,
     day date not null,
     source text not null check (source in ('verify', 'batch')),
     mode text not null check (mode in ('test', 'live')),
     reason text not null check (reason in (
       'accepted_email', 'invalid_domain', 'invalid_email', 'invalid_smtp', 'low_deliverability', 'low_quality',
       'no_connect', 'rejected_email', 'timeout', 'unavailable_smtp', 'unexpected_error'
     )),
     count bigint not null check (count >= 1),
     primary key (account_id, day, source, mode, reason)
   ) with (fillfactor = 50)`,
  // Why a key was refused lately, and where from.
  `alter table keys add last_used_at timestamptz;
   create table key_refusals (
     key_id text not null references keys on delete cascade,
     reason text not null check (reason in ('origin', 'ip', 'captcha')),
     -- The page's origin, or the client's IP address. Empty if the request had none.
     seen_from text not null check (length(seen_from) <= 255),
     count bigint not null check (count >= 1),
     first_at timestamptz not null,
     last_at timestamptz not null check (last_at >= first_at),
     primary key (key_id, reason, seen_from)
   );
   create index key_refusals_by_age on key_refusals (last_at)`,
  // A shorter retention than the service's, and the callback secret from before the latest roll.
  `alter table accounts
     add keep_results_seconds integer check (keep_results_seconds >= 3600),
     add former_callback_secret text check (former_callback_secret like 'whsec\\_%'),
     add former_callback_secret_until timestamptz,
     add constraint accounts_former_secret_ends
       check ((former_callback_secret is null) = (former_callback_secret_until is null))`,
  // By which its owner recognises a session.
  `alter table sessions
     add user_agent text check (length(user_agent) <= 400),
     add seen_at timestamptz not null default clock_timestamp()`,
  `alter table batches add name text check (name <> '' and length(name) <= 200)`,
  // A list that somebody has uploaded. It is a draft until its batch is created, and drafts are deleted after an hour.
  `create table lists (
     id text primary key check (id ~ '^[0-9a-f]{24}$'),
     account_id text not null references accounts on delete cascade,
     batch_id text unique references batches on delete cascade,
     name text not null check (name <> '' and length(name) <= 200),
     -- The titles of the columns. Null if the first row holds data.
     header json,
     columns integer not null check (columns >= 1),
     row_count integer not null check (row_count >= 1),
     address_column integer not null,
     -- What the reader has found out: the encoding or the sheet, and how many addresses each column has.
     findings json not null default '{}',
     created_at timestamptz not null default clock_timestamp(),
     constraint lists_column_exists check (address_column >= 0 and address_column < columns)
   );
   create index lists_of_account on lists (account_id);
   create index lists_drafts on lists (created_at) where batch_id is null`,
  // The cells are JSON because text cannot hold every character that a file can.
  `create table list_rows (
     list_id text not null references lists on delete cascade,
     number integer not null check (number >= 0),
     cells json not null,
     -- Which address of the batch it has. Null for a draft, and for a row without an address.
     place integer check (place >= 0),
     primary key (list_id, number)
   )`,
];

/** Makes the tables and columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
