-- Moves a password that the version before writes to an account to the person with its address. A person who exists keeps
-- the own password when an account is made, so that whoever makes one for an address captures nobody.
CREATE OR REPLACE FUNCTION move_password()
RETURNS trigger
LANGUAGE plpgsql
AS $$
begin
  if exists (select from members where account_id = new.id) then
    with changed as (
      update persons set password_hash = new.password_hash from members
      where members.account_id = new.id and members.person_id = persons.id and role = 'owner'
        and persons.email_key = new.email_key and persons.password_hash is distinct from new.password_hash
      returning persons.id
    )
    delete from sessions using changed where sessions.person_id = changed.id;
  else
    insert into persons (id, email, email_key, password_hash)
      values ('per_' || substr(new.id, 5), new.owner_email, new.email_key, new.password_hash)
      on conflict (email_key) do nothing;
    insert into members (account_id, person_id, role)
      select new.id, id, 'owner' from persons where email_key = new.email_key;
  end if;
  update accounts set password_hash = '' where id = new.id;
  return null;
end
$$;

CREATE TRIGGER move_password AFTER INSERT OR UPDATE OF password_hash ON accounts FOR EACH ROW WHEN (new.password_hash <> ''::text AND new.deleted_at IS NULL) EXECUTE FUNCTION move_password();
