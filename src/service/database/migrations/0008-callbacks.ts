/** The callbacks of completed batches, and every try to deliver one. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A callback waits until `due_at`, or `process_id` sends it, or it was delivered, or it was given up.
  `create table callbacks (
     batch_id text primary key references batches on delete cascade,
     message_id text not null unique,
     due_at timestamptz,
     is_retry boolean not null default false,
     process_id uuid,
     attempt integer not null default 0 check (attempt >= 0),
     tried_at timestamptz,
     delivered_at timestamptz,
     given_up_at timestamptz,
     constraint callbacks_one_state check (num_nonnulls(due_at, process_id, delivered_at, given_up_at) = 1),
     constraint callbacks_tried check ((attempt = 0) = (tried_at is null)),
     constraint callbacks_untried_wait check (attempt > 0 or due_at is not null)
   );
   create index callbacks_due on callbacks (due_at) where due_at is not null;
   create index callbacks_sent_now on callbacks (process_id) where process_id is not null`,
  // Only a 200 counts as delivered (interface, section 6.1). All other tries have an error.
  `create table callback_tries (
     batch_id text not null references callbacks on delete cascade,
     number integer not null check (number >= 1),
     at timestamptz not null,
     status integer,
     error text,
     duration_ms integer check (duration_ms >= 0),
     primary key (batch_id, number),
     constraint callback_tries_error_unless_200 check ((status is not distinct from 200) = (error is null))
   )`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
