/** The person who has allowed an app to have tokens. They end with the person's membership of the account. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

const STATEMENTS = [
  `alter table token_families add person_id text,
     add constraint token_families_of_member
       foreign key (account_id, person_id) references members on delete cascade not valid`,
  // The version before knows only accounts, whose owners allow apps.
  `create function give_tokens_their_person() returns trigger language plpgsql as $$
   begin
     select members.person_id into new.person_id
     from accounts
       join persons on persons.email_key = accounts.email_key
       join members on members.account_id = accounts.id and members.person_id = persons.id
     where accounts.id = new.account_id and members.role = 'owner';
     return new;
   end
   $$`,
  `create trigger person_of_tokens before insert on token_families
     for each row when (new.person_id is null) execute function give_tokens_their_person()`,
];

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'token_families', 'members');
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
