/** All SQL of half sign-ins: the right password was given, and the second factor is missing. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';

export interface NewHalfSignIn {
  readonly id: Buffer;
  readonly personId: string;
  readonly passwordDigest: Buffer;
  readonly returnTo: string | undefined;
}

export interface HalfSignIn {
  readonly personId: string;
  readonly passwordDigest: Buffer;
  readonly returnTo: string | null;
}

/** How long it waits. */
const LASTS = sql`interval '10 minutes'`;
/** Each right password begins one, so without a limit a program could fill the database with them. */
const MOST = 100;

/** Begins one. Above the most, the oldest ones of the person end. */
export async function insertHalfSignIn(db: Db, half: NewHalfSignIn): Promise<void> {
  const { id, personId, passwordDigest, returnTo } = half;
  await inTransaction(db, async (transaction) => {
    await sql`
      delete from half_sign_ins where id = any(array(
        select id from half_sign_ins where person_id = ${personId}
        order by created_at desc, id offset ${MOST - 1} for update skip locked
      ))
    `.execute(transaction);
    await transaction
      .insertInto('half_sign_ins')
      .values({
        ...{ id, person_id: personId, password_digest: passwordDigest, return_to: returnTo ?? null },
        expires_at: sql<Date>`clock_timestamp() + ${LASTS}`,
      })
      .execute();
  });
}

export async function findHalfSignIn(db: Db, id: Buffer): Promise<HalfSignIn | undefined> {
  return db
    .selectFrom('half_sign_ins')
    .select(['person_id as personId', 'password_digest as passwordDigest', 'return_to as returnTo'])
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
}

/** Ends one. @returns whether it was there, so that it is completed once */
export async function endHalfSignIn(db: Db, id: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('half_sign_ins').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes some that have ended. @returns whether there may be more */
export const forgetHalfSignIns = (db: Db): Promise<boolean> =>
  deleteSome(db, 'half_sign_ins', sql`expires_at < statement_timestamp()`);
