/**
 * Pacing finds who waits for an organisation, and its row, by their age. While a snapshot is open, such as that of a backup,
 * a unique index compares each change with all former versions. So the organisation alone is no longer a key.
 */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  `create table conversation_waits (
     organisation text not null,
     process_id uuid not null,
     since timestamptz not null,
     in_background boolean not null,
     seen_at timestamptz not null
   )`,
  'create index conversation_waits_by_age on conversation_waits (organisation, seen_at)',
  'create unique index paces_by_age on paces (organisation, used_at desc)',
  'alter table paces drop constraint paces_pkey',
  'drop index paces_by_use',
  `CREATE OR REPLACE FUNCTION one_pace()
   RETURNS trigger
   LANGUAGE plpgsql
   AS $$
   begin
     perform pg_advisory_xact_lock(hashtextextended(new.organisation, 64));
     perform from paces where organisation = new.organisation order by used_at desc limit 1;
     return case when found then null else new end;
   end
   $$`,
  'CREATE TRIGGER one_pace BEFORE INSERT ON paces FOR EACH ROW EXECUTE FUNCTION one_pace()',
  `CREATE OR REPLACE FUNCTION waits_seen(its_organisation text, at timestamp with time zone)
   RETURNS TABLE(process_id uuid, since timestamp with time zone, in_background boolean)
   LANGUAGE sql
   STABLE
   AS $$
   select process_id, since, in_background from conversation_waits
   where organisation = its_organisation and seen_at between at - interval '1 second' and at + interval '1 second'
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
   SET enable_seqscan TO 'off'
   AS $$
   declare
     pace paces;
     wait conversation_waits;
     wait_row tid;
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
       select ctid into pace_row from paces where organisation = its_organisation order by used_at desc limit 1;
     end if;
     select * into pace from paces where ctid = pace_row;
     may_change := endings <> '[]' or conversations_since(its_organisation, coalesce(pace.oldest, '-infinity')) < max_connections;
     if may_change then
       select ctid into pace_row from paces where ctid = pace_row and organisation = its_organisation for update;
       while pace_row is null loop
         select ctid into pace_row from paces
         where organisation = its_organisation order by used_at desc limit 1 for update;
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
       from waits_seen(its_organisation, at) where process_id <> my_process;
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

     -- Its own row is older than two seconds only if it has not asked for so long. The housekeeping deletes that one.
     select ctid into wait_row from conversation_waits
     where organisation = its_organisation and process_id = my_process
       and seen_at between at - interval '2 seconds' and at + interval '2 seconds'
     order by seen_at desc limit 1;
     if begun = 0 and cardinality(new_ids) > 0 and wait_ms < 1000 then
       select * into wait from conversation_waits where ctid = wait_row;
       if wait_row is null then
         insert into conversation_waits (organisation, process_id, since, in_background, seen_at)
         values (its_organisation, my_process, at - waited_ms[1] * interval '1 millisecond', its_in_background, at);
       -- Others look for what was seen within a second, and take times within 100 milliseconds for the same.
       elsif wait.in_background <> its_in_background
         or wait.seen_at not between at - interval '300 milliseconds' and at
         or wait.since + waited_ms[1] * interval '1 millisecond'
           not between at - interval '50 milliseconds' and at + interval '50 milliseconds'
       then
         update conversation_waits
         set (since, in_background, seen_at) = (at - waited_ms[1] * interval '1 millisecond', its_in_background, at)
         where ctid = wait_row;
       end if;
     elsif wait_row is not null then
       delete from conversation_waits where ctid = wait_row;
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
     -- A process that waits in the background without a conversation gets one that ends for it after three seconds. If it
     -- waited less, conversations would verify only a few addresses each.
     is_wanted_elsewhere := is_wanted_elsewhere or exists (
       select from waits_seen(its_organisation, at) as waiting
       where process_id <> my_process and in_background and since <= at - interval '3 seconds'
         and not exists (
           select from conversations
           where organisation = its_organisation and begun_at >= coalesce(pace.oldest, '-infinity')
             and conversations.process_id = waiting.process_id
         )
     );
     return next;
   end
   $$`,
];

/** Makes a table, and changes one. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'paces');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
