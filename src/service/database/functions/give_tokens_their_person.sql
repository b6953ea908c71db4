-- Gives tokens their person where the version before issues them, which knows only accounts: it lets owners allow apps.
CREATE OR REPLACE FUNCTION give_tokens_their_person()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  select members.person_id into new.person_id
  from accounts
    join persons on persons.email_key = accounts.email_key
    join members on members.account_id = accounts.id and members.person_id = persons.id
  where accounts.id = new.account_id and members.role = 'owner';
  return new;
end
$$;

CREATE TRIGGER person_of_tokens BEFORE INSERT ON token_families FOR EACH ROW WHEN (new.person_id IS NULL) EXECUTE FUNCTION give_tokens_their_person();
