/** Reads and shifts the payments of an account, for tests. */
import { sql } from 'kysely';
import type { Db } from '../../../src/service/database/schema.ts';

/** The oldest first. */
export async function paymentsOf(db: Db, accountId: string) {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('account', '=', accountId)
    .orderBy('asked_at')
    .orderBy('id')
    .execute();
}

/** Lets so many seconds pass for all payments. */
export async function passSeconds(db: Db, seconds: number): Promise<void> {
  await sql`
    update payments set
      asked_at = asked_at - make_interval(secs => ${seconds}),
      ended_at = ended_at - make_interval(secs => ${seconds}),
      next_try_at = next_try_at - make_interval(secs => ${seconds})
  `.execute(db);
}
