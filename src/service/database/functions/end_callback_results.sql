-- Keeps in mind which callbacks are of batches without results. Nobody is told of these any more, and they are many
-- after years.
CREATE OR REPLACE FUNCTION end_callback_results()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  update callbacks set has_results = false where batch_id = new.id;
  return null;
end
$$;

CREATE TRIGGER end_callback_results AFTER UPDATE OF emptied_at ON batches FOR EACH ROW WHEN (old.emptied_at IS NULL AND new.emptied_at IS NOT NULL) EXECUTE FUNCTION end_callback_results();
