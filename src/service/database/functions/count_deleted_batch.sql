-- Keeps the results of a deleted batch in the books: `daily_results` has them for longer than the batch. A trigger,
-- because batches are deleted in several ways. A deleted batch loses its account first, and its row later. Nothing is
-- kept for an account that is deleted itself.
CREATE OR REPLACE FUNCTION count_deleted_batch()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  insert into unproved_results as known (account_id, source, mode, count)
  select accounts.id, 'batch', old.mode, results
  from accounts, lateral (
    select case
      when old.completed_at is null
      then (select coalesce(sum(count), 0) from batch_progress where batch_id = old.id)
      when old.stopped_after is not null
      then (select coalesce(sum(value::bigint), 0) from jsonb_each_text(old.reason_counts))
      else old.distinct_total
    end as results
  ) as counted
  where accounts.id = old.account_id and results > 0
  on conflict (account_id, source, mode) do update set count = known.count + excluded.count;
  return null;
end
$$;

CREATE TRIGGER count_deleted_batch AFTER DELETE ON batches FOR EACH ROW EXECUTE FUNCTION count_deleted_batch();

CREATE TRIGGER count_disowned_batch AFTER UPDATE OF account_id ON batches FOR EACH ROW WHEN (old.account_id IS NOT NULL AND new.account_id IS NULL) EXECUTE FUNCTION count_deleted_batch();
