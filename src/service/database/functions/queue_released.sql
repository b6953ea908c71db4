-- Queues the batches whose addresses are ready again, whoever has released them. Without nested loops, as in
-- count_results.
CREATE OR REPLACE FUNCTION queue_released()
RETURNS trigger
LANGUAGE plpgsql
SET enable_nestloop TO 'off'
AS $$
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
$$;

CREATE TRIGGER queue_released AFTER UPDATE ON batch_rows REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION queue_released();
