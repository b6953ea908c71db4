-- Gives a session its person where the version before starts one, which knows only accounts. A session whose account has no
-- owner with its address has no person, and is not found.
CREATE OR REPLACE FUNCTION give_session_its_person()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  select members.person_id, new.account_id into new.person_id, new.chosen_account_id
  from accounts
    join persons on persons.email_key = accounts.email_key
    join members on members.account_id = accounts.id and members.person_id = persons.id
  where accounts.id = new.account_id and members.role = 'owner';
  return new;
end
$$;

CREATE TRIGGER person_of_session BEFORE INSERT ON sessions FOR EACH ROW WHEN (new.person_id IS NULL) EXECUTE FUNCTION give_session_its_person();
