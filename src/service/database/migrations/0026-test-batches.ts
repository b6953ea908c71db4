/** How many batches of test keys an account has made in a day, so that small ones do not fill the disk. */
import { type Kysely, sql } from 'kysely';

/** Makes the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table batch_storage
      add day date,
      add made_on_day integer not null default 0
  `.execute(db);
}
