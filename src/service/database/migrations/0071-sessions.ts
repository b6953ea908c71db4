/** The person of a session, and the account that the person has chosen in it. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  `alter table sessions
     add person_id text references persons on delete cascade,
     add chosen_account_id text references accounts on delete set null,
     alter account_id drop not null`,
  // The version before starts a session for the account whose address and password were typed: that of its owner.
  `create function give_session_its_person() returns trigger language plpgsql as $$
   begin
     select members.person_id, new.account_id into new.person_id, new.chosen_account_id
     from accounts
       join persons on persons.email_key = accounts.email_key
       join members on members.account_id = accounts.id and members.person_id = persons.id
     where accounts.id = new.account_id and members.role = 'owner';
     return new;
   end
   $$`,
  `create trigger person_of_session before insert on sessions
     for each row when (new.person_id is null) execute function give_session_its_person()`,
];

/** Makes the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'sessions', 'accounts', 'persons');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
