-- Keeps what an account stores equal to its batches, however they end. A trigger, because batches end in several
-- ways. The statement that counts a batch also checks the limits, so it is not part of it. When an account is
-- deleted, its row may already be gone. A deleted batch has no account, and later no row.
CREATE OR REPLACE FUNCTION release_batch_storage()
RETURNS trigger
LANGUAGE plpgsql
AS $$
declare
  is_deleted boolean := new.account_id is null;
begin
  update batch_storage set
    entries = entries - case
      when old.emptied_at is null and (is_deleted or new.emptied_at is not null) then old.stored_entries else 0
    end,
    open_batches = open_batches - case
      when old.completed_at is null and (is_deleted or new.completed_at is not null) then 1 else 0
    end
  where account_id = old.account_id and mode = old.mode;
  return null;
end
$$;

CREATE TRIGGER release_storage_of_batch AFTER UPDATE OF account_id, completed_at, emptied_at ON batches FOR EACH ROW WHEN (old.stored_entries > 0 AND (old.account_id IS DISTINCT FROM new.account_id OR old.completed_at IS DISTINCT FROM new.completed_at OR old.emptied_at IS DISTINCT FROM new.emptied_at)) EXECUTE FUNCTION release_batch_storage();

CREATE TRIGGER release_storage_of_deleted_batch AFTER DELETE ON batches FOR EACH ROW WHEN (old.stored_entries > 0) EXECUTE FUNCTION release_batch_storage();
