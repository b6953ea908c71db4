/** All SQL of recovery codes. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { holdPerson } from './factor-store.ts';

/** Replaces the codes of a person. */
export async function replaceCodes(db: Db, personId: string, digests: readonly Buffer[]): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await holdPerson(transaction, personId);
    await endCodes(transaction, personId);
    await transaction
      .insertInto('recovery_codes')
      .values(digests.map((digest) => ({ digest, person_id: personId })))
      .execute();
  });
}

/** Uses up a code. @returns how many are left, or undefined if the person has no such code */
export async function spendCode(db: Db, personId: string, digest: Buffer): Promise<number | undefined> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('digest', '=', digest)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return numDeletedRows > 0n ? countCodes(db, personId) : undefined;
}

export async function countCodes(db: Db, personId: string): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)`.as('count'))
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function endCodes(db: Db, personId: string): Promise<void> {
  await db.deleteFrom('recovery_codes').where('person_id', '=', personId).execute();
}
