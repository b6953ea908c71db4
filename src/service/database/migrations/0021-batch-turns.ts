/**
 * The queue of batches: whose turn it is.
 *
 * It is a table and not a column of `batches`. A claim then writes a small row and no index of `batches`, and whoever
 * releases an address queues its batch without a lock on the batch, which a deletion holds while it waits for addresses.
 * For the same reason, no row of the queue refers to a batch.
 */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A number instead of a time, because clocks are set back.
  `create sequence turns`,
  `create table account_turns (
     account_id text not null references accounts on delete cascade,
     mode text not null check (mode in ('test', 'live')),
     last bigint not null default 0,
     is_waiting boolean not null default true,
     changes bigint not null default 0,
     primary key (account_id, mode)
   );
   create index account_turns_next on account_turns (mode, last) where is_waiting;
   alter sequence turns owned by account_turns.last`,
  `create table batch_turns (
     batch_id text primary key,
     account_id text not null,
     mode text not null check (mode in ('test', 'live')),
     last bigint not null default 0,
     changes bigint not null default 0
   );
   create index batch_turns_next on batch_turns (account_id, mode, last)`,
  `create function queue_batches(ids text[]) returns void language sql as $$
     insert into account_turns as turns (account_id, mode)
     select distinct account_id, mode from unnest(ids) as queued (id), lateral (
       select account_id, mode from batches where id = queued.id and completed_at is null limit 1
     ) as batch order by 1, 2
     on conflict (account_id, mode) do update set is_waiting = true, changes = turns.changes + 1
     where turns.xmin <> pg_current_xact_id()::xid;
     insert into batch_turns as turns (batch_id, account_id, mode)
     select id, account_id, mode from unnest(ids) as queued (id), lateral (
       select account_id, mode from batches where id = queued.id and completed_at is null limit 1
     ) as batch order by 1
     on conflict (batch_id) do update set changes = turns.changes + 1
     where turns.xmin <> pg_current_xact_id()::xid;
   $$`,
  `create function queue_batch() returns trigger language plpgsql as $$
   begin
     if tg_op = 'DELETE' then
       delete from batch_turns where batch_id = old.id;
     else
       perform queue_batches(array[new.id]);
     end if;
     return null;
   end
   $$`,
  `create function queue_released() returns trigger language plpgsql as $$
   declare
     released text[];
   begin
     select array_agg(distinct batch_id) into released
     from before join after using (batch_id, place)
     where num_nonnulls(before.process_id, before.due_at) > 0
       and num_nonnulls(after.process_id, after.due_at, after.reason) = 0;
     if released is not null then
       perform queue_batches(released);
     end if;
     return null;
   end
   $$`,
];

/** Makes them. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
