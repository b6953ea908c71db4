/** Whether the operator gives a batch away, such as a forecast of a list. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batches add is_free boolean not null default false`.execute(db);
}
