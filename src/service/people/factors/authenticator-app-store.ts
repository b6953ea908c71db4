/** All SQL of authenticator apps. */
import { sql } from 'kysely';
import { makeId } from '../../core/random-id.ts';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { type StoredPair, secretsOf } from '../../database/secrets.ts';
import { inTransaction } from '../../database/transaction.ts';
import { holdPerson } from './factor-store.ts';
import { makeAppSecret } from './totp.ts';

const PLACE = 'authenticator_apps.secret';

/** An app with its key. */
export interface AuthenticatorApp {
  readonly id: string;
  readonly secret: string;
  /** The step of the last accepted code. Null until the set-up is confirmed. */
  readonly lastStep: number | null;
  /** The time of the database, in seconds since 1970. */
  readonly seconds: number;
}

/** How long a set-up may take, in seconds. */
const SET_UP = sql`interval '1 hour'`;

/** The app that a person is setting up. A reload of the page shows the same key. */
export async function beginSetUp(db: Db, personId: string): Promise<AuthenticatorApp> {
  return inTransaction(db, async (transaction) => {
    await holdPerson(transaction, personId);
    const begun = await findSetUp(transaction, personId);
    if (begun) return begun;
    await transaction
      .deleteFrom('authenticator_apps')
      .where('person_id', '=', personId)
      .where('confirmed_at', 'is', null)
      .execute();
    const id = `totp_${makeId()}`;
    const { clear, sealed } = secretsOf(transaction).seal(PLACE, id, makeAppSecret());
    await transaction
      .insertInto('authenticator_apps')
      .values({ id, person_id: personId, secret: clear, sealed_secret: sealed })
      .execute();
    return (await findSetUp(transaction, personId))!;
  });
}

export const findSetUp = (db: Db, personId: string) => find(db, personId, false);

/** The app whose codes count. */
export const findApp = (db: Db, personId: string) => find(db, personId, true);

async function find(db: Db, personId: string, isConfirmed: boolean): Promise<AuthenticatorApp | undefined> {
  const { rows } = await sql<StoredPair & Omit<AuthenticatorApp, 'secret'>>`
    select id, secret as clear, sealed_secret as sealed, last_step as "lastStep",
      extract(epoch from clock_timestamp())::float8 as seconds
    from authenticator_apps
    where person_id = ${personId} and (confirmed_at is null) = ${!isConfirmed}
      and (${isConfirmed} or created_at > clock_timestamp() - ${SET_UP})
  `.execute(db);
  return rows.map(({ clear, sealed, ...app }) => ({
    ...app,
    secret: secretsOf(db).open(PLACE, app.id, { clear, sealed }),
  }))[0];
}

/** Ends the set-up with its first code. The app from before no longer counts. @returns whether it was still going on */
export async function confirmSetUp(db: Db, personId: string, id: string, step: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await holdPerson(transaction, personId);
    const begun = await findSetUp(transaction, personId);
    if (begun?.id !== id) return false;
    await removeApp(transaction, personId);
    await transaction
      .updateTable('authenticator_apps')
      .set({ confirmed_at: sql<Date>`clock_timestamp()`, last_step: step })
      .where('id', '=', id)
      .execute();
    return true;
  });
}

/** Uses up the code of a step, and those of all earlier ones. @returns whether it had not been used */
export async function spendStep(db: Db, id: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('authenticator_apps')
    .set({ last_step: step })
    .where('id', '=', id)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes the app whose codes count. @returns whether there was one */
export async function removeApp(db: Db, personId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('authenticator_apps')
    .where('person_id', '=', personId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes some set-ups that were never confirmed. @returns whether there may be more */
export const forgetSetUps = (db: Db): Promise<boolean> =>
  deleteSome(
    db,
    'authenticator_apps',
    sql`confirmed_at is null and created_at < statement_timestamp() - ${SET_UP}`,
  );
