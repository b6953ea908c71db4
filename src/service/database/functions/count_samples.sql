-- Counts results of test keys, of which nothing else is stored. Accounts that were deleted are left out. The rows are
-- locked in the order of their keys, like by all statements that count results.
CREATE OR REPLACE FUNCTION count_samples(its_accounts text[], its_reasons text[])
RETURNS void
LANGUAGE plpgsql
AS $$
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
$$;
