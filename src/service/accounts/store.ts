/** All SQL of accounts. */
import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { changeCredits } from '../credits/store.ts';
import type { AccountsTable, Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { endSessionsOf } from '../sessions/store.ts';

/** An account with everything that is stored about it. */
export type Account = Selectable<AccountsTable>;

/** The limits of an account. Null means that the config's value applies. */
export type AccountLimits = Pick<
  Account,
  'verify_per_second' | 'batch_per_second' | 'account_per_second' | 'batch_size'
>;

/** What an operator sees of each account. */
export type AccountSummary = Pick<Account, 'id' | 'owner_email' | 'available_credits'>;

export interface NewAccount {
  readonly email: string;
  /** What `hashPassword` returns. */
  readonly passwordHash: string;
  /** Booked as a top-up if above 0. */
  readonly credits?: number;
}

/** Makes an account, unless one exists with this email address in any case. */
export async function createAccount(db: Db, account: NewAccount): Promise<AccountSummary | 'exists'> {
  const { email, passwordHash, credits = 0 } = account;
  return inTransaction(db, async (transaction) => {
    const made = await transaction
      .insertInto('accounts')
      .values({
        id: `acc_${randomBytes(12).toString('hex')}`,
        owner_email: email,
        email_key: emailKey(email),
        password_hash: passwordHash,
        callback_secret: `whsec_${randomBytes(32).toString('base64')}`,
      })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning(['id', 'owner_email', 'available_credits'])
      .executeTakeFirst();
    if (!made) return 'exists';
    if (credits > 0) await changeCredits(transaction, made.id, { amount: credits, why: 'top-up' });
    return { ...made, available_credits: credits };
  });
}

/** Finds an account by its owner's email address, in any case. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').selectAll().where('email_key', '=', emailKey(email)).executeTakeFirst();
}

/** Finds an account by its id. */
export async function findAccountById(db: Db, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Keeps an account from being deleted until the transaction ends. Whatever changes something of an account and writes
 * the audit log calls this first: a deletion locks the account before what belongs to it, too.
 *
 * @returns the owner's email address, or undefined if there is no such account
 */
export async function holdAccount(db: Db, id: string): Promise<string | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select('owner_email')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return account?.owner_email;
}

/** All accounts, the oldest first. */
export async function listAccounts(db: Db): Promise<AccountSummary[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'owner_email', 'available_credits'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Deletes an account and everything that belongs to it, in one statement. If it may have batches, call
 * `deleteAccountWithBatches()`.
 *
 * @returns whether there was such an account
 */
export async function deleteAccount(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Changes the limits that are given, at least one, and leaves the others.
 *
 * @returns all limits of the account, or undefined if there is no such account
 */
export async function setAccountLimits(
  db: Db,
  id: string,
  limits: Partial<AccountLimits>,
): Promise<AccountLimits | undefined> {
  return db
    .updateTable('accounts')
    .set(limits)
    .where('id', '=', id)
    .returning(['verify_per_second', 'batch_per_second', 'account_per_second', 'batch_size'])
    .executeTakeFirst();
}

/**
 * Replaces the password of an account, and ends all its sessions.
 *
 * @param passwordHash what `hashPassword` returns
 * @returns whether there is such an account
 */
export async function setPasswordHash(db: Db, id: string, passwordHash: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ password_hash: passwordHash })
      .where('id', '=', id)
      .executeTakeFirst();
    // Comes second. `insertSession` says why.
    await endSessionsOf(transaction, id);
    return numUpdatedRows > 0n;
  });
}

/** One form for all spellings of an email address. PostgreSQL's own lower() knows only ASCII in the locale C. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
