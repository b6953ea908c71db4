-- Counts a request of this second. The statement that checks a limit also counts, so limits are exact in all
-- processes together. The clock is read once the row is locked, so that `started_at` never goes back while requests
-- wait for each other. If the clock is set back, `started_at` is in the future, and a new second begins.
CREATE OR REPLACE FUNCTION count_request(of_account text, at_endpoint text)
RETURNS TABLE(requests integer, resets_at timestamp with time zone)
LANGUAGE sql
AS $$
insert into rates as rate (account_id, endpoint, started_at, count)
values (of_account, at_endpoint, clock_timestamp(), 1)
on conflict (account_id, endpoint) do update set (started_at, count) = (
  select
    case when is_new then at else rate.started_at end,
    case when is_new then 1 else rate.count + 1 end
  from (select clock_timestamp() as at) as clock, lateral (
    select rate.started_at <= at - interval '1 second' or rate.started_at > at + interval '1 second' as is_new
  ) as window_of_request
)
returning count, started_at + interval '1 second'
$$;
