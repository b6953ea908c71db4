/** The person who has made a batch on a page. Null for what a program or an operator has made, and what is older. */
import { type Kysely, sql } from 'kysely';

/** Makes the column. It has no reference, so that the deletion of a person changes no batch. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table batches add made_by text`.execute(db);
}
