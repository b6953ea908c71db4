/** The person who has allowed a device's request. It ends with the person's membership of the account. */
import { type Kysely, sql } from 'kysely';
import { lockTables } from '../migration.ts';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, 'device_requests', 'members');
  await sql`
    alter table device_requests add person_id text,
      add constraint device_requests_of_member foreign key (account_id, person_id) references members on delete cascade not valid
  `.execute(db);
}
