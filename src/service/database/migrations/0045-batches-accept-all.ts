/**
 * Stores whether a batch asks which domains accept every address, or null for the config's value. At its completion, the
 * batch gets the number of results that are risky for it.
 */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table batches add column accept_all boolean, add column accept_all_results integer
  `.execute(db);
}
