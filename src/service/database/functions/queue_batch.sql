-- Queues a new or resumed batch when its transaction commits, so that no row of the queue is locked for long. Takes a
-- deleted one out. A trigger, because versions that do not know the queue create and resume batches during an upgrade.
CREATE OR REPLACE FUNCTION queue_batch()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  if tg_op = 'DELETE' then
    delete from batch_turns where batch_id = old.id;
  else
    perform queue_batches(array[new.id]);
  end if;
  return null;
end
$$;

CREATE CONSTRAINT TRIGGER queue_batch AFTER INSERT OR UPDATE OF paused_at ON batches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.paused_at IS NULL AND new.completed_at IS NULL) EXECUTE FUNCTION queue_batch();

CREATE TRIGGER queue_deleted_batch AFTER DELETE ON batches FOR EACH ROW EXECUTE FUNCTION queue_batch();
