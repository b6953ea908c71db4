-- Counts simultaneous requests of this second, and the sample results of those that are not over their limit, in one
-- commit. The statement that checks a limit also counts, so limits are exact in all processes together. The clock is read
-- once the row is locked, so that `started_at` never goes back while requests wait for each other. If the clock is set
-- back, `started_at` is in the future, and a new second begins. A request without a sample result has no reason.
CREATE OR REPLACE FUNCTION count_requests(subject text, at_endpoint text, its_limits integer[], its_reasons text[])
RETURNS TABLE(requests integer, resets_at timestamp with time zone)
LANGUAGE plpgsql
AS $$
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
$$;
