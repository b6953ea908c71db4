-- Refuses a conversation with an organisation that has no pace, and the end of a pace during a conversation. It is a
-- trigger instead of a foreign key, which would look for the row of the organisation with each conversation, and so for
-- all versions of it while a snapshot is open. `pace_round` has locked the row, and says so.
CREATE OR REPLACE FUNCTION check_pace()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  if tg_op = 'DELETE' then
    perform from conversations where organisation = old.organisation limit 1;
    if found then
      raise foreign_key_violation using message = 'The organisation has a conversation.';
    end if;
    return old;
  end if;
  if new.organisation is distinct from current_setting('evw.locked_pace', true) then
    perform from paces where organisation = new.organisation for key share;
    if not found then
      raise foreign_key_violation using message = 'The organisation of a conversation has no pace.';
    end if;
  end if;
  return new;
end
$$;

CREATE TRIGGER check_pace BEFORE INSERT ON conversations FOR EACH ROW EXECUTE FUNCTION check_pace();

CREATE TRIGGER check_pace BEFORE DELETE ON paces FOR EACH ROW EXECUTE FUNCTION check_pace();
