/** Passwords belong to persons. What the version before still writes to accounts reaches the person. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  `alter table accounts alter password_hash set default ''`,
  // A person who exists keeps the own password, so that a new account of an address captures nobody.
  `create function move_password() returns trigger language plpgsql as $$
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
   $$`,
  `create trigger move_password after insert or update of password_hash on accounts
     for each row when (new.password_hash <> '' and new.deleted_at is null) execute function move_password()`,
];

/** Makes the trigger. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
