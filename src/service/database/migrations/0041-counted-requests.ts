/** Requests are counted by a function, with the sample results that they get. Its plans are made once per connection. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `create function count_samples(its_accounts text[], its_reasons text[]) returns void language plpgsql as $$
   begin
     with results as (
       select account_id, reason, count(*) as count
       from unnest(its_accounts, its_reasons) as added (account_id, reason)
       where exists (select from accounts where id = account_id)
       group by account_id, reason
     ), counted_by_day as (
       insert into daily_results as days (account_id, day, source, mode, reason, count)
       select account_id, (statement_timestamp() at time zone 'UTC')::date, 'verify', 'test', reason, count
       from results order by account_id, reason
       on conflict (account_id, day, source, mode, reason) do update set count = days.count + excluded.count
     )
     insert into unproved_results as known (account_id, source, mode, count)
     select account_id, 'verify', 'test', sum(count) from results group by account_id order by account_id
     on conflict (account_id, source, mode) do update set count = known.count + excluded.count;
   end
   $$`,
  `create function count_requests(
     subject text, at_endpoint text, its_limits integer[], its_reasons text[]
   ) returns table (requests integer, resets_at timestamptz) language plpgsql as $$
   declare
     allowed text[];
   begin
     insert into rates as rate (account_id, endpoint, started_at, count)
     values (subject, at_endpoint, clock_timestamp(), cardinality(its_limits))
     on conflict (account_id, endpoint) do update set (started_at, count) = (
       select
         case when is_new then at else rate.started_at end,
         case when is_new then excluded.count else rate.count + excluded.count end
       from (select clock_timestamp() as at) as clock, lateral (
         select rate.started_at <= at - interval '1 second' or rate.started_at > at + interval '1 second' as is_new
       ) as window_of_requests
     )
     returning count, started_at + interval '1 second' into requests, resets_at;
     select array_agg(reason) into allowed
     from unnest(its_limits, its_reasons) with ordinality as each (most, reason, place)
     where reason is not null and requests - cardinality(its_limits) + place <= most;
     if allowed is not null then
       perform count_samples(array_fill(subject, array[cardinality(allowed)]), allowed);
     end if;
     return next;
   end
   $$`,
];

/** Adds the functions. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
