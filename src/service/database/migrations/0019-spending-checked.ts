/** Validates the checks of the limit of a key, which hold for new rows already. */
import { type Kysely, sql } from 'kysely';

/** Reads the keys beside requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['keys_daily_credits_check', 'keys_daily_credits_of_public'])
    await sql.raw(`alter table keys validate constraint ${name}`).execute(db);
}
