/** All SQL of credits and their ledger. */
import { type Selectable, sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import type { Db, LedgerReason, Schema } from '../database/schema.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';

/** A change of an account's credits. */
export interface CreditChange {
  /** Positive to give, negative to take. Not 0. */
  readonly amount: number;
  readonly why: LedgerReason;
  /**
   * The object of the change. For verifications, their refunds, billing and batches, it is an id, and the change is
   * recorded once per reason and id. For a top-up, it is the operator's note.
   */
  readonly of?: string;
}

/** Called with credits that were taken (below 0) or given back. */
export type CreditListener = (amount: number, why: LedgerReason) => void;

/** The credits of an account after a change. */
export interface CreditBalance {
  readonly balance: number;
  /** False if the same change was recorded before. The credits then stay the same. */
  readonly booked: boolean;
}

/** A row of the ledger as its owner sees it. */
export type LedgerEntry = Pick<Selectable<Schema['ledger']>, 'amount' | 'why' | 'of' | 'balance' | 'at'>;

/** The reasons that the unique index `ledger_once` lists. */
const ONCE: readonly LedgerReason[] = ['verification', 'refund', 'billing', 'batch'];

/**
 * Changes the credits of an account and writes the row of the ledger, in one statement.
 *
 * If `db` is a transaction, a simultaneous equal change can cause a unique violation. Roll the transaction back then.
 *
 * @returns undefined if the credits would fall below 0, or if the account does not exist. The credits then stay the
 * same.
 */
export async function changeCredits(
  db: Db,
  accountId: string,
  change: CreditChange,
): Promise<CreditBalance | undefined> {
  const { why, of = null } = change;
  const once = of !== null && ONCE.includes(why);
  try {
    const balance = await book(db, accountId, change);
    if (balance !== undefined) return { balance, booked: true };
  } catch (error) {
    // Another connection has recorded the same change while this statement ran.
    if (!once || db.isTransaction || !isUniqueViolation(error, 'ledger_once')) throw error;
  }
  if (!once || !(await isBooked(db, accountId, why, of))) return undefined;
  const balance = await balanceOf(db, accountId);
  return balance === undefined ? undefined : { balance, booked: false };
}

/**
 * Locks the account until the transaction ends. Call it before what can still undo the transaction, and change the
 * credits last: while PostgreSQL undoes a change of an account, it can refuse the next one ("new multixact has more than
 * one updating member").
 */
export async function lockCredits(db: Db, accountId: string): Promise<void> {
  await db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
}

/** @returns the new balance, or undefined if there are too few credits or the change was recorded before */
async function book(db: Db, accountId: string, change: CreditChange): Promise<number | undefined> {
  const { amount, why, of = null } = change;
  const { rows } = await sql<{ balance: number | null }>`
    select change_credits(${accountId}, ${amount}, ${why}, ${of}) as balance where not exists (
      select from ledger where ${isChange(why, of)}
    )
  `.execute(db);
  return rows[0]?.balance ?? undefined;
}

async function isBooked(db: Db, accountId: string, why: LedgerReason, of: string): Promise<boolean> {
  const { rows } = await sql`
    select from ledger where account_id = ${accountId} and ${isChange(why, of)}
  `.execute(db);
  return rows.length > 0;
}

/** Spelled as in the index `ledger_once`, so that PostgreSQL can use it. */
const isChange = (why: LedgerReason, of: string | null) => sql`
  why = ${why} and "of" = ${of} and "of" is not null and why in ('verification', 'refund', 'billing', 'batch')`;

/** Whether the credit of a verification was given back. */
export const isRefunded = (db: Db, accountId: string, verificationId: string): Promise<boolean> =>
  isBooked(db, accountId, 'refund', verificationId);

/** Credits that an operator adds once. */
export interface ReferencedCredits {
  readonly reference: string;
  readonly accountId: string;
  readonly amount: number;
}

/**
 * Takes a reference, for ever. Call it in the transaction that adds the credits.
 *
 * @returns undefined if it was free, otherwise what it was taken for
 */
export async function takeReference(
  db: Db,
  { reference, accountId, amount }: ReferencedCredits,
): Promise<ReferencedCredits | undefined> {
  const taken = await db
    .insertInto('credit_references')
    .values({ reference, account_id: accountId, amount })
    .onConflict((conflict) => conflict.doNothing())
    .returning('reference')
    .executeTakeFirst();
  if (taken) return undefined;
  return db
    .selectFrom('credit_references')
    .select(['reference', 'account_id as accountId', 'amount'])
    .where('reference', '=', reference)
    .executeTakeFirstOrThrow();
}

/** Deletes some changes of a deleted account, and then the sums. @returns whether there may be more */
export async function forgetLedgerOf(db: Db, accountId: string): Promise<boolean> {
  const isOf = sql<boolean>`account_id = ${accountId}`;
  return (
    (await deleteSome(db, 'ledger', isOf)) ||
    (await deleteSome(db, 'ledger_days', isOf)) ||
    (await deleteSome(db, 'ledger_months', isOf))
  );
}

/** The latest changes of an account's credits, newest first. */
export async function readLedger(db: Db, accountId: string, limit: number): Promise<LedgerEntry[]> {
  return db
    .selectFrom('ledger')
    .select(['amount', 'why', 'of', 'balance', 'at'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Whether a change of the account's credits would have to wait. Nobody waits for the look. */
export async function isLocked(db: Db, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ is_locked: boolean }>`
    with free as materialized (select from accounts where id = ${accountId} for no key update skip locked)
    select not exists (select from free) and exists (select from accounts where id = ${accountId}) as is_locked
  `.execute(db);
  return rows[0]!.is_locked;
}

/** The credits of an account, or undefined if it does not exist, or was deleted. */
export async function balanceOf(db: Db, accountId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select('available_credits')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.available_credits;
}
