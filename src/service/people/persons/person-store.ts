/** All SQL of persons. */
import { type Selectable, sql } from 'kysely';
import { makeId } from '../../core/random-id.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { isUniqueViolation } from '../../database/unique-violation.ts';
import { emailKey } from '../accounts/account-store.ts';
import { forgetBrowsersOf } from '../sessions/known-browser-store.ts';
import { endSessionsOf } from '../sessions/session-store.ts';

/** A person with all its stored data. */
export type Person = Selectable<Schema['persons']>;

/** What identifies a person here and to others. */
export type Someone = Pick<Person, 'id' | 'email'>;

export interface NewPerson {
  readonly email: string;
  /** The result of `hashPassword`. Null for a person who signs in in another way. */
  readonly passwordHash: string | null;
}

/** Creates a person, unless one exists with this email address, ignoring case. */
export async function createPerson(db: Db, { email, passwordHash }: NewPerson): Promise<Person | 'exists'> {
  const made = await db
    .insertInto('persons')
    .values({ id: `per_${makeId()}`, email, email_key: emailKey(email), password_hash: passwordHash })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returningAll()
    .executeTakeFirst();
  return made ?? 'exists';
}

/** Finds a person by email address, ignoring case. */
export const findPersonByEmail = (db: Db, email: string): Promise<Person | undefined> =>
  db.selectFrom('persons').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst();

/** Finds a person by id. */
export const findPersonById = (db: Db, id: string): Promise<Person | undefined> =>
  db.selectFrom('persons').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Gives a person another address. Roll the transaction back if it is refused.
 *
 * @returns false if another person has it, or the person was deleted
 */
export async function setAddress(db: Db, id: string, email: string): Promise<boolean> {
  try {
    const { numUpdatedRows } = await db
      .updateTable('persons')
      .set({ email, email_key: emailKey(email) })
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  } catch (error) {
    if (isUniqueViolation(error, 'persons_email_key_key')) return false;
    throw error;
  }
}

const personWith = (db: Db, id: string) => db.selectFrom('persons').select('id').where('id', '=', id);

/** Prevents the deletion of a person until the transaction ends. @returns whether the person exists */
export async function holdPerson(db: Db, id: string): Promise<boolean> {
  return (await personWith(db, id).forKeyShare().executeTakeFirst()) !== undefined;
}

/** Prevents that an account takes a person in, until the transaction ends. @returns whether the person exists */
export async function lockPerson(db: Db, id: string): Promise<boolean> {
  return (await personWith(db, id).forUpdate().executeTakeFirst()) !== undefined;
}

/** A person as the operator sees it. */
export interface ListedPerson extends Person {
  /** How many accounts the person is a member of. */
  readonly accounts: number;
}

/** All persons, oldest first. */
export async function listPersons(db: Db): Promise<ListedPerson[]> {
  const { rows } = await sql<ListedPerson>`
    select persons.*, (
      select count(*) from members join accounts on accounts.id = account_id
      where person_id = persons.id and deleted_at is null
    ) as accounts
    from persons order by created_at, id
  `.execute(db);
  return rows;
}

/**
 * Sets the password of a person, ends all their sessions, and forgets the browsers that they have signed in in.
 *
 * @param passwordHash the result of `hashPassword` @param before the hash to replace, null for a person without a password @default any
 * @returns whether the person existed with this hash
 */
export async function setPersonPassword(
  db: Db,
  id: string,
  passwordHash: string,
  before?: string | null,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('persons')
      .set({ password_hash: passwordHash })
      .where('id', '=', id)
      .$if(before !== undefined, (query) =>
        query.where('password_hash', before === null ? 'is' : '=', before!),
      )
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    // Must come second. `insertSession` explains why.
    await endSessionsOf(transaction, id);
    await forgetBrowsersOf(transaction, id);
    return true;
  });
}

/**
 * Replaces the hash of a password by another one of the same password. Nothing else changes.
 *
 * @returns whether the person still had the hash
 */
export async function replacePasswordHash(
  db: Db,
  id: string,
  before: string,
  after: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('persons')
    .set({ password_hash: after })
    .where('id', '=', id)
    .where('password_hash', '=', before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes a person with their memberships and sessions. @returns whether there was one */
export async function deletePerson(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('persons').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
