-- Keeps the counts of a batch equal to its results, whoever writes them. Each connection counts in its own rows, so
-- that writers of results do not wait for each other. A connection plans this once. If it plans for one row, a nested
-- loop would later compare each of thousands of rows with each.
CREATE OR REPLACE FUNCTION count_results()
RETURNS trigger
LANGUAGE plpgsql
SET enable_nestloop TO 'off'
AS $$
begin
  insert into batch_progress as progress (batch_id, connection, reason, count, duplicates, accept_all_results)
  select batch_id, pg_backend_pid(), after.reason, count(*), sum(after.duplicates), count(*) filter (
    where after.reason = 'low_deliverability' and strpos(after.result::text, '"accept_all":true') > 0
  )
  from before join after using (batch_id, place)
  where before.reason is null and after.reason is not null
  group by batch_id, after.reason
  on conflict (batch_id, connection, reason) do update set
    count = progress.count + excluded.count, duplicates = progress.duplicates + excluded.duplicates,
    accept_all_results = progress.accept_all_results + excluded.accept_all_results, is_new = true;
  return null;
end
$$;

CREATE TRIGGER count_results AFTER UPDATE ON batch_rows REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_results();
