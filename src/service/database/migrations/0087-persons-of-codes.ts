/** The person who has allowed a code. It ends with the person's membership of the account. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'authorization_codes', 'members');
  await sql`
    alter table authorization_codes add person_id text,
      add constraint authorization_codes_of_member foreign key (account_id, person_id) references members on delete cascade not valid
  `.execute(db);
}
