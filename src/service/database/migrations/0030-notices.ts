/** Tells accounts once that their credits run low, at a URL of their own. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `told_at`: the credits run low, and this is told. It waits until `due_at`, or `process_id` sends it, or it has ended.
  `create table notices (
     account_id text primary key references accounts on delete cascade,
     url text not null,
     look_at timestamptz not null default clock_timestamp(),
     told_at timestamptz,
     available bigint check (available >= 0),
     needed bigint check (needed > available),
     days_left float8 check (days_left >= 0),
     message_id text,
     due_at timestamptz,
     is_retry boolean not null default false,
     process_id uuid,
     attempt integer not null default 0 check (attempt >= 0),
     deaths integer not null default 0 check (deaths >= 0),
     tried_at timestamptz,
     status integer,
     error text,
     delivered_at timestamptz,
     given_up_at timestamptz,
     constraint notices_told check (
       num_nonnulls(told_at, available, needed, message_id) = case when told_at is null then 0 else 4 end
     ),
     constraint notices_one_state check (
       num_nonnulls(due_at, process_id, delivered_at, given_up_at) = case when told_at is null then 0 else 1 end
     )
   );
   create index notices_to_look on notices (look_at);
   create index notices_due on notices (due_at) where due_at is not null;
   create index notices_sent_now on notices (process_id) where process_id is not null`,
  `CREATE OR REPLACE FUNCTION sum_ledger()
   RETURNS trigger
   LANGUAGE plpgsql
   SET enable_seqscan TO 'off'
   AS $$
   begin
     insert into ledger_days as known (account_id, day, why, amount, count, first_id, last_id)
     select account_id, (at at time zone 'UTC')::date as day, why, sum(amount), count(*), min(id), max(id)
     from added group by account_id, day, why order by account_id, day, why
     on conflict (account_id, day, why) do update set
       amount = known.amount + excluded.amount, count = known.count + excluded.count,
       first_id = least(known.first_id, excluded.first_id), last_id = greatest(known.last_id, excluded.last_id);
     update notices set look_at = statement_timestamp() where account_id = any(array(
       select account_id from notices
       where account_id = any(array(select account_id from added)) and look_at > statement_timestamp()
       for no key update skip locked
     ));
     return null;
   end
   $$`,
];

/** Makes the table, and the trigger's function that looks at it. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
