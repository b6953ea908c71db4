/** Payments of billing, and the references of credits that an operator adds. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A row is committed before the first request to billing, so that no answer is lost with a process. The names of the
  // columns are those that `admin payment list` prints.
  `create table payments (
     id text primary key,
     account text not null references accounts on delete cascade,
     -- The credits of the request that opened it, and those that the account had. Each try sends the same two numbers.
     needed bigint not null check (needed >= 1),
     available bigint not null default 0 check (available >= 0),
     asked_at timestamptz not null default clock_timestamp(),
     tries integer not null default 0 check (tries >= 0),
     -- How many of the latest answers were a 200 without credits.
     malformed integer not null default 0 check (malformed >= 0),
     -- The process that makes a try. Without one, the next try begins at next_try_at.
     process_id uuid,
     next_try_at timestamptz not null default clock_timestamp(),
     outcome text check (outcome in ('credited', 'refused', 'malformed', 'given up')),
     credits bigint check (credits >= 1),
     -- What billing said to the person who pays.
     message text check (length(message) <= 500),
     ended_at timestamptz,
     constraint payments_ended_has_outcome check ((outcome is null) = (ended_at is null)),
     constraint payments_credited_has_credits check ((coalesce(outcome, '') = 'credited') = (credits is not null)),
     constraint payments_ended_has_no_process check (ended_at is null or process_id is null)
   );
   create unique index payments_one_open on payments (account) where ended_at is null;
   create index payments_due on payments (next_try_at) where ended_at is null and process_id is null;
   create index payments_tried on payments (process_id) where ended_at is null and process_id is not null;
   create index payments_of_account on payments (account, asked_at desc);
   create index payments_by_time on payments (asked_at desc, id)`,
  // Without a reference to accounts: a reference that was used for a deleted account stays used.
  `create table credit_references (
     reference text primary key check (reference <> ''),
     account_id text not null,
     amount bigint not null check (amount <> 0),
     added_at timestamptz not null default clock_timestamp()
   )`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
