-- Tells a callback what it needs of its batch, so that no look at callbacks reads the batches of years. The receiver is
-- a URL of the account, by its digest.
CREATE OR REPLACE FUNCTION describe_callback()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  select account_id, left(encode(sha256(convert_to(account_id || ' ' || url, 'UTF8')), 'hex'), 16), completed_at
  into new.owner_id, new.receiver, new.made_at
  from batches where id = new.batch_id;
  return new;
end
$$;

CREATE TRIGGER describe_callback BEFORE INSERT ON callbacks FOR EACH ROW EXECUTE FUNCTION describe_callback();
