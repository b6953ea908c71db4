import { sql } from 'kysely';
import type { Db } from '../../../../src/service/database/schema.ts';

/** Lets the pauses that are not over begin again, so that all of them is left however slow the machine is. */
export async function restartPauses(db: Db): Promise<void> {
  // A pause begins with the latest guess.
  await sql`
    update guesses set
      paused_until = clock_timestamp() + make_interval(secs => round(extract(epoch from paused_until - guessed_at))::float8),
      guessed_at = clock_timestamp()
    where paused_until > clock_timestamp()
  `.execute(db);
}
