import { sql } from 'kysely';
import type { Db } from '../../../../src/service/database/schema.ts';

/** Lets the pauses of the guesses so far last for ten minutes, because on a busy machine their seconds may be over. */
export async function lengthenPauses(db: Db): Promise<void> {
  await sql`
    update guesses set paused_until = clock_timestamp() + interval '10 minutes' where paused_until is not null
  `.execute(db);
}
