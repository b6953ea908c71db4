/** All SQL of sessions. */
import { sql } from 'kysely';
import type { Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';

/** Who has signed in. */
export interface SignedIn {
  readonly accountId: string;
  readonly email: string;
}

/** Finds whose session it is. A session that has ended is not found. */
export async function findSession(db: Db, id: Buffer): Promise<SignedIn | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['accounts.id as accountId', 'accounts.owner_email as email'])
    .where('sessions.id', '=', id)
    .where('sessions.expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
}

export interface NewSession {
  readonly id: Buffer;
  readonly accountId: string;
  /** The hash that the password was checked against. */
  readonly passwordHash: string;
  readonly seconds: number;
  /** The session, if it is one, that it takes the place of in the browser. */
  readonly replaces: Buffer;
}

/**
 * Begins a session, and ends the one that it replaces.
 *
 * The row of the account is locked: a change of the password either comes first, and then the old password begins no
 * session, or it comes later and ends this session.
 *
 * @returns false if the password has been changed since it was checked, or the account was deleted
 */
export async function insertSession(db: Db, session: NewSession): Promise<boolean> {
  const { id, accountId, passwordHash, seconds, replaces } = session;
  return inTransaction(db, async (transaction) => {
    const account = await transaction
      .selectFrom('accounts')
      .select('id')
      .where('id', '=', accountId)
      .where('password_hash', '=', passwordHash)
      .forShare()
      .executeTakeFirst();
    if (!account) return false;
    await endSession(transaction, replaces);
    const expires_at = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
    await transaction.insertInto('sessions').values({ id, account_id: accountId, expires_at }).execute();
    return true;
  });
}

/** Ends a session. */
export async function endSession(db: Db, id: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute();
}

/** Ends all sessions of an account. */
export async function endSessionsOf(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('sessions').where('account_id', '=', accountId).execute();
}

/** Deletes the sessions whose time is over. */
export async function forgetEndedSessions(db: Db): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<', sql<Date>`clock_timestamp()`).execute();
}
