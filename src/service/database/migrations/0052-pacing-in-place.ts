/**
 * Pacing finds what it needs where it was last seen: the row of an organisation, and the conversations since the oldest
 * one began. While a snapshot is open, such as that of a backup, a search by the organisation goes through all that was.
 * Processes of earlier versions call the former functions.
 */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  'alter table paces add column oldest timestamptz',
  'alter table conversations drop constraint conversations_organisation_fkey',
  `CREATE OR REPLACE FUNCTION check_pace()
   RETURNS trigger
   LANGUAGE plpgsql
   AS $$
   begin
     if tg_op = 'DELETE' then
       perform from conversations where organisation = old.organisation limit 1;
       if found then
         raise foreign_key_violation using message = 'The organisation has a conversation.';
       end if;
       return old;
     end if;
     if new.organisation is distinct from current_setting('evw.locked_pace', true) then
       perform from paces where organisation = new.organisation for key share;
       if not found then
         raise foreign_key_violation using message = 'The organisation of a conversation has no pace.';
       end if;
     end if;
     return new;
   end
   $$`,
  'create trigger check_pace before insert on conversations for each row execute function check_pace()',
  'create trigger check_pace before delete on paces for each row execute function check_pace()',
  `CREATE OR REPLACE FUNCTION conversations_since(its_organisation text, since timestamp with time zone)
   RETURNS bigint
   LANGUAGE sql
   AS $$
   select coalesce(sum(count), 0)::bigint from (
     select process_id, count(*) from (
       -- In this order, so that only the index of both is of use.
       select process_id from conversations
       where organisation = its_organisation and begun_at >= since order by begun_at offset 0
     ) as open group by process_id
   ) as each where is_process_alive(process_id)
   $$`,
  `CREATE OR REPLACE FUNCTION pace_round(
     its_organisation text,
     its_row tid,
     my_process uuid,
     max_connections integer,
     max_per_minute integer,
     its_in_background boolean,
     new_ids uuid[],
     waited_ms integer[],
     endings jsonb,
     at timestamp with time zone
   )
   RETURNS TABLE(
     begun integer,
     held_back text,
     wait_ms integer,
     is_wanted_elsewhere boolean,
     pace_row tid
   )
   LANGUAGE plpgsql
   AS $$
   declare
     pace paces;
     ending record;
     ended_after integer;
     this_second bigint;
     in_minute bigint;
     free_at timestamptz;
     first_elsewhere timestamptz;
     may_change boolean;
     has_changed boolean := false;
   begin
     select ctid into pace_row from paces where ctid = its_row and organisation = its_organisation;
     if not found then
       select ctid into pace_row from paces where organisation = its_organisation;
     end if;
     select * into pace from paces where ctid = pace_row;
     may_change := endings <> '[]' or conversations_since(its_organisation, coalesce(pace.oldest, '-infinity')) < max_connections;
     if may_change then
       select ctid into pace_row from paces where ctid = pace_row and organisation = its_organisation for update;
       while pace_row is null loop
         select ctid into pace_row from paces where organisation = its_organisation for update;
         exit when found;
         insert into paces (organisation) values (its_organisation) on conflict do nothing;
       end loop;
       select * into pace from paces where ctid = pace_row;
     end if;
     at := coalesce(at, clock_timestamp());
     if pace.paused_until < at - interval '10 minutes' then
       pace.pauses := 0;
       pace.paused_until := null;
     elsif pace.paused_until > at + interval '10 minutes' then
       pace.paused_until := at + interval '10 minutes';
       has_changed := true;
     end if;

     for ending in
       select * from rows from (jsonb_to_recordset(endings) as (id uuid, how text))
         with ordinality as each (id, how, place) order by place
     loop
       delete from conversations where id = ending.id returning begun_after into ended_after;
       continue when not found;
       has_changed := true;
       continue when ended_after <> pace.slow_downs;
       if ending.how = 'slow down' then
         pace.slow_downs := pace.slow_downs + 1;
         pace.paused_until := at + least(interval '2 seconds' * 2 ^ least(pace.pauses, 20), interval '10 minutes');
         pace.pauses := pace.pauses + 1;
       elsif ending.how = 'well' then
         pace.pauses := 0;
         pace.paused_until := null;
       end if;
     end loop;

     begun := 0;
     wait_ms := 0;
     is_wanted_elsewhere := false;
     if cardinality(new_ids) > 0 then
       select min(since) filter (where in_background = its_in_background), coalesce(bool_or(not in_background), false)
       into first_elsewhere, is_wanted_elsewhere
       from conversation_queues
       where organisation = its_organisation and process_id <> my_process
         and seen_at between at - interval '1 second' and at + interval '1 second';
       this_second := floor(extract(epoch from at));
       select coalesce(array_agg(second order by second), '{}'), coalesce(array_agg(amount order by second), '{}'),
         coalesce(sum(amount), 0)
       into pace.seconds, pace.counts, in_minute
       from unnest(pace.seconds, pace.counts) as each (second, amount)
       where second between this_second - 60 and this_second + 60;
       if in_minute >= max_per_minute then
         select to_timestamp(min(second) + 61) into free_at from (
           select second, sum(amount) over (order by second desc) - amount as later
           from unnest(pace.seconds, pace.counts) as each (second, amount)
         ) as seconds where later < max_per_minute;
       end if;
       if pace.paused_until > at and (free_at is null or pace.paused_until >= free_at) then
         free_at := pace.paused_until;
         held_back := 'paused';
       elsif free_at is not null then
         held_back := 'per minute';
       end if;
       if held_back is not null then
         wait_ms := ceil(extract(epoch from free_at - at) * 1000);
       else
         begun := greatest(0, least(
           cardinality(new_ids), max_per_minute - in_minute,
           case when pace.pauses > 0 then 1 else max_connections end
             - conversations_since(its_organisation, coalesce(pace.oldest, '-infinity'))
         ));
         if its_in_background and is_wanted_elsewhere then
           begun := 0;
         elsif first_elsewhere is not null then
           begun := least(begun, (
             select count(*) from unnest(waited_ms) as waited
             where at - waited * interval '1 millisecond' <= first_elsewhere + interval '100 milliseconds'
           ));
         end if;
         if not may_change or not is_process_alive(my_process) then
           begun := 0;
         end if;
         if begun = 0 then
           held_back := case when pace.pauses > 0 then 'paused' else 'connections' end;
         else
           has_changed := true;
           perform set_config('evw.locked_pace', its_organisation, true);
           insert into conversations (id, organisation, process_id, begun_after, begun_at)
           select id, its_organisation, my_process, pace.slow_downs, at from unnest(new_ids[1:begun]) as id;
           if pace.seconds[cardinality(pace.seconds)] = this_second then
             pace.counts[cardinality(pace.counts)] := pace.counts[cardinality(pace.counts)] + begun;
           else
             pace.seconds := pace.seconds || this_second;
             pace.counts := pace.counts || begun;
           end if;
         end if;
       end if;
     end if;

     if begun = 0 and cardinality(new_ids) > 0 and wait_ms < 1000 then
       insert into conversation_queues as queue (organisation, process_id, since, in_background, seen_at)
       values (its_organisation, my_process, at - waited_ms[1] * interval '1 millisecond', its_in_background, at)
       on conflict (organisation, process_id) do update set
         since = excluded.since, in_background = excluded.in_background, seen_at = excluded.seen_at
       -- Others look for what was seen within a second, and take times within 100 milliseconds for the same.
       where queue.in_background <> excluded.in_background
         or queue.seen_at not between excluded.seen_at - interval '300 milliseconds' and excluded.seen_at
         or queue.since not between excluded.since - interval '50 milliseconds' and excluded.since + interval '50 milliseconds';
     else
       delete from conversation_queues where organisation = its_organisation and process_id = my_process;
     end if;
     if may_change and has_changed then
       -- A second is exact enough for the housekeeping, and the index is changed only once in it.
       if pace.used_at not between at - interval '1 second' and at then
         pace.used_at := at;
       end if;
       -- If the clock was set back, what began now is the oldest.
       pace.oldest := coalesce((
         select begun_at from conversations
         where organisation = its_organisation and begun_at >= least(coalesce(pace.oldest, '-infinity'), at)
         order by begun_at limit 1
       ), at);
       update paces set (seconds, counts, slow_downs, pauses, paused_until, used_at, oldest)
         = (pace.seconds, pace.counts, pace.slow_downs, pace.pauses, pace.paused_until, pace.used_at, pace.oldest)
       where ctid = pace_row returning ctid into pace_row;
     end if;
     return next;
   end
   $$`,
  `CREATE OR REPLACE FUNCTION pace_rounds(my_process uuid, rounds jsonb, at timestamp with time zone)
   RETURNS TABLE(
     place integer,
     begun integer,
     held_back text,
     wait_ms integer,
     is_wanted_elsewhere boolean,
     pace_row tid
   )
   LANGUAGE plpgsql
   AS $$
   declare
     round record;
   begin
     perform set_config('synchronous_commit', 'off', true);
     for round in
       select * from jsonb_to_recordset(rounds) as each (
         place integer, organisation text, pace_row tid, connections integer, per_minute integer, in_background boolean,
         ids uuid[], waited_ms integer[], endings jsonb
       ) order by organisation, each.place
     loop
       return query select round.place, paced.* from pace_round(
         round.organisation, round.pace_row, my_process, round.connections, round.per_minute,
         round.in_background, round.ids, round.waited_ms, round.endings, at
       ) as paced;
     end loop;
   end
   $$`,
];

/** Changes the tables and makes the functions. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'paces', 'conversations');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
