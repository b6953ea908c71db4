/** All SQL of accounts. */
import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { makeId } from '../../core/random-id.ts';
import { MOST_DELETED } from '../../database/delete-some.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { type StoredPair, secretsOf } from '../../database/secrets.ts';
import { inTransaction } from '../../database/transaction.ts';
import { isUniqueViolation } from '../../database/unique-violation.ts';

/** An account with all its stored data. */
export type Account = Selectable<Schema['accounts']>;

/** The limits of an account. Null means that the config's value applies. */
export type AccountLimits = Pick<Account, (typeof LIMITS)[number]>;

const LIMITS = [
  ...(['verify_per_second', 'batch_per_second', 'account_per_second', 'batch_size'] as const),
  ...(['stored_entries', 'open_batches'] as const),
] as const satisfies readonly (keyof Schema['accounts'])[];

/** The summary of an account for operators. */
export type AccountSummary = Pick<Account, 'id' | 'owner_email' | 'available_credits'>;

/** Inserts an account without members, unless one exists with this email address, ignoring case. */
export async function insertAccount(db: Db, email: string): Promise<AccountSummary | 'exists'> {
  const id = `acc_${makeId()}`;
  const secret = secretsOf(db).seal('accounts.callback_secret', id, makeCallbackSecret());
  const made = await db
    .insertInto('accounts')
    .values({
      id,
      owner_email: email,
      email_key: emailKey(email),
      callback_secret: secret.clear,
      sealed_callback_secret: secret.sealed,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning(['id', 'owner_email', 'available_credits'])
    .executeTakeFirst();
  return made ?? 'exists';
}

const makeCallbackSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Finds an account by its owner's email address, ignoring case. */
export const findAccountByEmail = (db: Db, email: string): Promise<Account | undefined> =>
  db.selectFrom('accounts').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst();

/** Those that are not deleted. */
const accounts = (db: Db) => db.selectFrom('accounts').where('deleted_at', 'is', null);

/** Finds an account by its id. */
export const findAccountById = (db: Db, id: string): Promise<Account | undefined> =>
  accounts(db).selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Prevents the deletion of an account until the transaction ends. Call this before changes that write the audit log. A
 * deletion also locks the account first, so the order of locks is the same.
 *
 * @returns the owner's email address, or undefined if the account does not exist
 */
export async function holdAccount(db: Db, id: string): Promise<string | undefined> {
  const account = await accounts(db)
    .select('owner_email')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return account?.owner_email;
}

/** All accounts, oldest first. */
export async function listAccounts(db: Db): Promise<AccountSummary[]> {
  return accounts(db)
    .select(['id', 'owner_email', 'available_credits'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Marks an account as deleted. Nobody can use it, and its address is free for a new account. The old address stays
 * for the operator until the row is gone.
 *
 * @returns whether the account existed and was not deleted
 */
export async function markDeleted(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    // No address has a space.
    .set({ deleted_at: sql<Date>`clock_timestamp()`, email_key: `deleted ${id}` })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Gives an account another address. Roll the transaction back if another account has it.
 *
 * @param from the address that it has @returns false if it has another one by now, or was deleted
 */
export async function setOwnerEmail(
  db: Db,
  id: string,
  from: string,
  to: string,
): Promise<boolean | 'taken'> {
  try {
    const { numUpdatedRows } = await db
      .updateTable('accounts')
      .set({ owner_email: to, email_key: emailKey(to) })
      .where('id', '=', id)
      .where('owner_email', '=', from)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  } catch (error) {
    if (isUniqueViolation(error, 'accounts_email_key_key')) return 'taken';
    throw error;
  }
}

/** Accounts that are deleted and still have data, the first ones first. */
export async function findDeleted(db: Db, limit: number): Promise<Pick<Account, 'id' | 'owner_email'>[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'owner_email'])
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at')
    .limit(limit)
    .execute();
}

/** The account that was deleted first, of those that nobody has locked. Undefined if there is none. */
export async function findUnlockedDeleted(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where deleted_at is not null order by deleted_at limit 1 for update skip locked
  `.execute(db);
  return rows[0]?.id;
}

/** How many accounts are deleted and still have data, and when the first of them was deleted. */
export async function countDeleted(db: Db): Promise<{ readonly count: number; readonly since: Date | null }> {
  const { rows } = await sql<{ count: number; since: Date | null }>`
    select count(*) as count, min(deleted_at) as since from accounts where deleted_at is not null
  `.execute(db);
  return rows[0]!;
}

/** Finds the latest deleted account of an owner that still has data. */
export async function findDeletedByEmail(
  db: Db,
  email: string,
): Promise<Pick<Account, 'id' | 'owner_email'> | undefined> {
  // There are few. The comparison is that of `emailKey`.
  const deleted = await findDeleted(db, MOST_DELETED);
  return deleted.filter(({ owner_email }) => emailKey(owner_email) === emailKey(email)).at(-1);
}

/** Removes a deleted account with the few rows that may still belong to it. */
export async function removeAccount(db: Db, id: string): Promise<void> {
  await db.deleteFrom('accounts').where('id', '=', id).where('deleted_at', 'is not', null).execute();
}

/**
 * Changes the given limits, at least one, and keeps the others.
 *
 * @returns all limits of the account, or undefined if the account does not exist
 */
export async function setAccountLimits(
  db: Db,
  id: string,
  limits: Partial<AccountLimits>,
): Promise<AccountLimits | undefined> {
  return db.updateTable('accounts').set(limits).where('id', '=', id).returning(LIMITS).executeTakeFirst();
}

/** How long the old callback secret also signs after a roll. */
const OVERLAP = sql<Date>`clock_timestamp() + interval '24 hours'`;

/** Sets a new callback secret. The current one also signs for 24 hours, and an older one stops at once. */
export async function rollCallbackSecret(db: Db, id: string): Promise<void> {
  const secrets = secretsOf(db);
  await inTransaction(db, async (transaction) => {
    const stored = await transaction
      .selectFrom('accounts')
      .select(['callback_secret as clear', 'sealed_callback_secret as sealed'])
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!stored) return;
    const current = secrets.open('accounts.callback_secret', id, stored);
    const former = secrets.seal('accounts.former_callback_secret', id, current);
    const next = secrets.seal('accounts.callback_secret', id, makeCallbackSecret());
    await transaction
      .updateTable('accounts')
      .set({
        callback_secret: next.clear,
        sealed_callback_secret: next.sealed,
        former_callback_secret: former.clear,
        sealed_former_callback_secret: former.sealed,
        former_callback_secret_until: OVERLAP,
      })
      .where('id', '=', id)
      .execute();
  });
}

/** @returns whether an old secret still signed */
export async function endFormerCallbackSecret(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set(NO_FORMER_SECRET)
    .where('id', '=', id)
    .where('former_callback_secret_until', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const NO_FORMER_SECRET = {
  former_callback_secret: null,
  sealed_former_callback_secret: null,
  former_callback_secret_until: null,
};

/**
 * Deletes some old secrets whose overlap has ended. Skips locked accounts until the next time, to prevent deadlocks.
 *
 * @returns whether there may be more
 */
export async function forgetFormerSecrets(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set(NO_FORMER_SECRET)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('accounts')
        .select('id')
        .where('former_callback_secret_until', '<=', sql<Date>`statement_timestamp()`)
        .limit(MOST_DELETED)
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .executeTakeFirst();
  return numUpdatedRows >= MOST_DELETED;
}

/** @returns the secrets that sign callbacks now, current one first. Empty if the account does not exist */
export async function findCallbackSecrets(db: Db, id: string): Promise<string[]> {
  const { rows } = await sql<StoredPair & { place: (typeof SIGNING)[number] }>`
    select place, clear, sealed from accounts, lateral (
      values (${SIGNING[0]}, callback_secret, sealed_callback_secret),
        (${SIGNING[1]}, former_callback_secret, sealed_former_callback_secret)
    ) as secrets (place, clear, sealed)
    where id = ${id} and (place = ${SIGNING[0]} or former_callback_secret_until > clock_timestamp())
    order by place = ${SIGNING[1]}
  `.execute(db);
  return rows.map(({ place, ...stored }) => secretsOf(db).open(place, id, stored));
}

const SIGNING = ['accounts.callback_secret', 'accounts.former_callback_secret'] as const;

/** When the old secret stops signing. Undefined if it does not sign. */
export async function findFormerSecretEnd(db: Db, id: string): Promise<Date | undefined> {
  const found = await db
    .selectFrom('accounts')
    .select('former_callback_secret_until')
    .where('id', '=', id)
    .where('former_callback_secret_until', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return found?.former_callback_secret_until ?? undefined;
}

/** @param seconds null for the config's value @returns whether the value has changed */
export async function setKeepResults(db: Db, id: string, seconds: number | null): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ keep_results_seconds: seconds })
    .where('id', '=', id)
    .where('keep_results_seconds', 'is distinct from', seconds)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The same text for all spellings of an email address. In the locale C, PostgreSQL's lower() handles only ASCII. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase();
