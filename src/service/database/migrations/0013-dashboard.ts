/** The tables of the dashboard: lists, the audit log, results by day, the use of keys, and settings of accounts. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The actor's name is stored, because a key or an app may be deleted when the log is read.
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
  // For charts, separate from the ledger. Each process adds its counts about once a second.
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
  // Sums of the ledger, so that a page need not add up a million rows. A write to the ledger has locked the account
  // before, so these rows cause no additional waits.
  `create table ledger_days (
     account_id text not null references accounts on delete cascade,
     day date not null,
     why text not null check (why in ('top-up', 'verification', 'refund', 'billing', 'batch', 'batch-refund')),
     amount bigint not null,
     count bigint not null check (count >= 1),
     -- The first and the last row of the day in the ledger.
     first_id bigint not null,
     last_id bigint not null check (last_id >= first_id),
     primary key (account_id, day, why)
   ) with (fillfactor = 50)`,
  // For each row instead of each statement, because most statements write one row, and this takes half the time.
  `create function sum_ledger() returns trigger language plpgsql as $$
   declare
     its_day date := (new.at at time zone 'UTC')::date;
   begin
     update ledger_days set
       amount = amount + new.amount, count = count + 1,
       first_id = least(first_id, new.id), last_id = greatest(last_id, new.id)
     where account_id = new.account_id and day = its_day and why = new.why;
     if not found then
       insert into ledger_days (account_id, day, why, amount, count, first_id, last_id)
       values (new.account_id, its_day, new.why, new.amount, 1, new.id, new.id);
     end if;
     return null;
   end
   $$`,
  `create trigger sum_ledger after insert on ledger for each row execute function sum_ledger()`,
  `insert into ledger_days
     select account_id, (at at time zone 'UTC')::date, why, sum(amount), count(*), min(id), max(id)
     from ledger group by 1, 2, 3`,
  // The recent refusals of a key: why and from where.
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
  // A shorter retention than the service's, and the old callback secret from before the latest roll.
  `alter table accounts
     add keep_results_seconds integer check (keep_results_seconds >= 3600),
     add former_callback_secret text check (former_callback_secret like 'whsec\\_%'),
     add former_callback_secret_until timestamptz,
     add constraint accounts_former_secret_ends
       check ((former_callback_secret is null) = (former_callback_secret_until is null))`,
  // Helps the owner to recognise a session.
  `alter table sessions
     add user_agent text check (length(user_agent) <= 400),
     add seen_at timestamptz not null default clock_timestamp()`,
  // The old secret from before the latest roll. It also works until its end.
  `alter table apps
     add former_secret bytea check (octet_length(former_secret) = 32),
     add former_secret_until timestamptz,
     add constraint apps_former_secret_ends check ((former_secret is null) = (former_secret_until is null)),
     add constraint apps_former_secret_of_confidential check (former_secret is null or secret is not null)`,
  // The progress of each open batch during the last minutes, to estimate the remaining time. Not crash-safe, because it
  // is soon out of date. Without a reference to batches, for the same reason as batch_progress.
  `create unlogged table batch_marks (
     batch_id text not null,
     at timestamptz not null,
     -- Entries with a result.
     processed integer not null check (processed >= 0),
     primary key (batch_id, at)
   )`,
  `alter table batches add name text check (name <> '' and length(name) <= 200)`,
  // An uploaded list. It is a draft until its batch is created, and drafts are deleted after an hour.
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
  // The cells are JSON, because a text of PostgreSQL cannot have every character that a file can.
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
