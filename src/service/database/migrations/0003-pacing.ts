/** The pacing of conversations with mail servers across all processes: the tables, and the function that decides. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The state of an organisation in `src/engine/pacing/pace.ts`, under the same names.
  `create table paces (
     organisation text primary key,
     seconds bigint[] not null default '{}',
     counts integer[] not null default '{}',
     slow_downs integer not null default 0 check (slow_downs >= 0),
     pauses integer not null default 0 check (pauses >= 0),
     paused_until timestamptz,
     used_at timestamptz not null default now(),
     constraint paces_seconds_counted check (cardinality(seconds) = cardinality(counts)),
     constraint paces_pause_has_end check ((pauses > 0) = (paused_until is not null))
   );
   create index paces_by_use on paces (used_at)`,
  `create table conversations (
     id uuid primary key,
     organisation text not null references paces,
     process_id uuid not null,
     begun_after integer not null check (begun_after >= 0),
     begun_at timestamptz not null
   );
   create index conversations_of_organisation on conversations (organisation);
   create index conversations_of_process on conversations (process_id)`,
  // Without a reference to paces, because a waiting process may outlast the row of the organisation.
  `create table conversation_queues (
     organisation text not null,
     process_id uuid not null,
     since timestamptz not null,
     seen_at timestamptz not null,
     primary key (organisation, process_id)
   );
   create index conversation_queues_by_age on conversation_queues (seen_at)`,
  // The clock is read once the row is locked, so that time does not go back while processes wait for each other. If the
  // clock is set back, times that are too far in the future do not count. A process that counts as dead starts no
  // conversations, because they would not be counted. Across all processes, the first to come is the first to start.
  // The others do not wait for a process that has not asked for one second. Messages take time, so requests within 100
  // milliseconds count as simultaneous and do not wait for each other.
  `create function pace_organisation(
     its_organisation text, my_process uuid, max_connections integer, max_per_minute integer,
     new_ids uuid[], waited_ms integer[], endings jsonb, at timestamptz
   ) returns table (begun integer, held_back text, wait_ms integer) language plpgsql as $$
   declare
     pace paces;
     ending record;
     ended_after integer;
     this_second bigint;
     in_minute bigint;
     open_now bigint;
     free_at timestamptz;
     first_elsewhere timestamptz;
     has_changed boolean := false;
   begin
     loop
       select * into pace from paces where organisation = its_organisation for update;
       exit when found;
       insert into paces (organisation) values (its_organisation) on conflict do nothing;
     end loop;
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
     if cardinality(new_ids) > 0 then
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
         select count(*) into open_now from conversations
         where organisation = its_organisation and is_process_alive(process_id);
         begun := greatest(0, least(
           cardinality(new_ids), max_per_minute - in_minute,
           case when pace.pauses > 0 then 1 else max_connections end - open_now
         ));
         select min(since) into first_elsewhere from conversation_queues
         where organisation = its_organisation and process_id <> my_process
           and seen_at between at - interval '1 second' and at + interval '1 second';
         if first_elsewhere is not null then
           begun := least(begun, (
             select count(*) from unnest(waited_ms) as waited
             where at - waited * interval '1 millisecond' <= first_elsewhere + interval '100 milliseconds'
           ));
         end if;
         if not is_process_alive(my_process) then
           begun := 0;
         end if;
         if begun = 0 then
           held_back := case when pace.pauses > 0 then 'paused' else 'connections' end;
         else
           has_changed := true;
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
       insert into conversation_queues (organisation, process_id, since, seen_at)
       values (its_organisation, my_process, at - waited_ms[1] * interval '1 millisecond', at)
       on conflict (organisation, process_id) do update set since = excluded.since, seen_at = excluded.seen_at;
     else
       delete from conversation_queues where organisation = its_organisation and process_id = my_process;
     end if;
     if has_changed then
       update paces set (seconds, counts, slow_downs, pauses, paused_until, used_at)
         = (pace.seconds, pace.counts, pace.slow_downs, pace.pauses, pace.paused_until, at)
       where organisation = its_organisation;
     end if;
     return next;
   end
   $$`,
  // Several organisations in one transaction, in the order of their names, in which all processes lock them. It does
  // not wait for the disk. A crash of the server may lose half a second of pacing, which does no harm.
  `create function pace_organisations(my_process uuid, rounds jsonb, at timestamptz) returns table (
     place integer, begun integer, held_back text, wait_ms integer
   ) language plpgsql as $$
   declare
     round record;
   begin
     perform set_config('synchronous_commit', 'off', true);
     for round in
       select * from jsonb_to_recordset(rounds) as each (
         place integer, organisation text, connections integer, per_minute integer,
         ids uuid[], waited_ms integer[], endings jsonb
       ) order by organisation, each.place
     loop
       return query select round.place, paced.* from pace_organisation(
         round.organisation, my_process, round.connections, round.per_minute,
         round.ids, round.waited_ms, round.endings, at
       ) as paced;
     end loop;
   end
   $$`,
];

/** Makes the tables and the functions. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
