/** All SQL of passkeys. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { holdPerson } from './factor-store.ts';

/** A passkey as its person sees it. */
export interface ListedPasskey {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly used_at: Date | null;
}

export interface StoredPasskey {
  readonly id: string;
  readonly personId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

export interface NewPasskey extends StoredPasskey {
  readonly name: string;
  /** When its challenge was made. */
  readonly challengedAt: Date;
}

/** The longest name, in characters. */
export const LONGEST_NAME = 60;
/** Browsers send the ids of all of them to authenticators. */
export const MOST_PASSKEYS = 20;

/** Adds a passkey, unless it is known, or the person has the most. */
export async function insertPasskey(db: Db, passkey: NewPasskey): Promise<'added' | 'known' | 'too many'> {
  const { id, personId, publicKey, counter, transports, name, challengedAt } = passkey;
  return inTransaction(db, async (transaction) => {
    await holdPerson(transaction, personId);
    const others = await listPasskeys(transaction, personId);
    if (others.length >= MOST_PASSKEYS) return 'too many';
    const added = await transaction
      .insertInto('passkeys')
      .values({
        ...{ id, person_id: personId, public_key: publicKey, counter, transports: [...transports], name },
        challenged_at: challengedAt,
        used_at: null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    return added ? 'added' : 'known';
  });
}

/** The first added comes first. */
export async function listPasskeys(db: Db, personId: string): Promise<ListedPasskey[]> {
  return db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'used_at'])
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export const findPasskey = (db: Db, id: string): Promise<StoredPasskey | undefined> =>
  stored(db).where('id', '=', id).executeTakeFirst();

/** With what browsers need to find them. */
export const passkeysOf = (db: Db, personId: string): Promise<StoredPasskey[]> =>
  stored(db).where('person_id', '=', personId).orderBy('created_at').orderBy('id').execute();

const stored = (db: Db) =>
  db
    .selectFrom('passkeys')
    .select(['id', 'person_id as personId', 'public_key as publicKey', 'counter', 'transports']);

/**
 * Records that a passkey has signed a challenge, and uses up this challenge and all that were made before it.
 *
 * The counter is compared once more: another request may have recorded a greater one since the passkey was read. Devices
 * without a counter send 0.
 *
 * @returns whether the challenge had not been used, and the counter has grown
 */
export async function spendChallenge(
  db: Db,
  id: string,
  { challengedAt, counter }: { readonly challengedAt: Date; readonly counter: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ challenged_at: challengedAt, counter, used_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('challenged_at', '<', challengedAt)
    // PostgreSQL would take a parameter beside 0 for an integer, and authenticators count in 32 bits without a sign.
    .where(sql<boolean>`(counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @returns whether the person has this passkey */
export async function renamePasskey(db: Db, personId: string, id: string, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @returns the name of the passkey, or undefined if the person has no such one */
export async function removePasskey(db: Db, personId: string, id: string): Promise<string | undefined> {
  const removed = await db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returning('name')
    .executeTakeFirst();
  return removed?.name;
}

/** A key of 256 bits for an HMAC. */
const CHALLENGE_KEY_BYTES = 32;

/** The key that signs challenges, and the time of the database. Whoever needs it first makes it. */
export async function readChallengeKey(db: Db): Promise<{ readonly key: Buffer; readonly now: Date }> {
  for (;;) {
    const { rows } = await sql<{ key: Buffer; now: Date }>`
      select key, clock_timestamp() as now from challenge_keys
    `.execute(db);
    if (rows[0]) return rows[0];
    // Another process may make it at the same time. Only one row is possible.
    await db
      .insertInto('challenge_keys')
      .values({ key: randomBytes(CHALLENGE_KEY_BYTES) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
