/** All SQL of sessions. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';

/** The signed-in person. */
export interface SignedIn {
  readonly accountId: string;
  readonly email: string;
  /** How long ago the person typed the password in this session. */
  readonly secondsSincePassword: number;
}

/**
 * Finds the owner of a session, and records its use. An ended session is not found.
 *
 * Recording is a write, so it happens at most once a minute, without an extra round trip. It skips a session that
 * another request has locked.
 */
export async function findSession(db: Db, id: Buffer): Promise<SignedIn | undefined> {
  const { rows } = await sql<SignedIn>`
    with seen as (
      update sessions set seen_at = clock_timestamp()
      where id = (
        select id from sessions where id = ${id} and seen_at < clock_timestamp() - interval '1 minute'
        for no key update skip locked
      )
    )
    select accounts.id as "accountId", owner_email as email,
      extract(epoch from clock_timestamp() - authenticated_at)::float8 as "secondsSincePassword"
    from sessions join accounts on accounts.id = account_id
    where sessions.id = ${id} and expires_at > clock_timestamp()
  `.execute(db);
  return rows[0];
}

export interface NewSession {
  readonly id: Buffer;
  readonly accountId: string;
  /** The hash that the password was checked against. */
  readonly passwordHash: string;
  readonly seconds: number;
  /** The session that this one replaces in the browser, if it exists. */
  readonly replaces: Buffer;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
}

/**
 * The most sessions of an account. Each right password starts one, so without a limit a program could fill the database
 * with them.
 */
export const MOST_SESSIONS = 100;
/** Longer texts are cut: browsers send some 120 characters. */
const MOST_OF_USER_AGENT = 400;

/**
 * Starts a session, and ends the one that it replaces. Above the most sessions, the ones that were used the longest time
 * ago end.
 *
 * The account's row is locked. If a password change comes first, the old password cannot start a session. If it comes
 * later, it ends this session.
 *
 * @returns false if the password has been changed since it was checked, or the account was deleted
 */
export async function insertSession(db: Db, session: NewSession): Promise<boolean> {
  const { id, accountId, passwordHash, seconds, replaces, userAgent } = session;
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
    await endOldestSessions(transaction, accountId, MOST_SESSIONS - 1);
    const expires_at = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;
    const user_agent = userAgent?.slice(0, MOST_OF_USER_AGENT) ?? null;
    await transaction
      .insertInto('sessions')
      .values({ id, account_id: accountId, expires_at, user_agent })
      .execute();
    return true;
  });
}

/** Records that the person has typed the password. @returns whether the account has this session */
export async function confirmSession(db: Db, id: Buffer, accountId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ authenticated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a session. */
export async function endSession(db: Db, id: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute();
}

/** Ends the sessions of an account that were used the longest time ago. @param kept how many stay */
async function endOldestSessions(db: Db, accountId: string, kept: number): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where account_id = ${accountId} order by seen_at desc, id offset ${kept}
    )
  `.execute(db);
}

/** Ends all sessions of an account. */
export async function endSessionsOf(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('sessions').where('account_id', '=', accountId).execute();
}

/** A session as the account's owner sees it. */
export interface ListedSession {
  /** The digest in hexadecimal. It cannot be used as a cookie. */
  readonly id: string;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly seen_at: Date;
  readonly is_this: boolean;
}

/** The sessions of an account: `own` first, then the most recently used. */
export async function listSessions(db: Db, accountId: string, own: Buffer): Promise<ListedSession[]> {
  const { rows } = await sql<ListedSession>`
    select encode(id, 'hex') as id, user_agent, created_at, seen_at, id = ${own} as is_this
    from sessions where account_id = ${accountId} and expires_at > clock_timestamp()
    order by is_this desc, seen_at desc, id
  `.execute(db);
  return rows;
}

/** How many sessions an account has. */
export async function countSessions(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from sessions where account_id = ${accountId} and expires_at > clock_timestamp()
  `.execute(db);
  return rows[0]!.count;
}

/** Ends one session of an account. @returns how many there were: 0 or 1 */
export async function endSessionOf(db: Db, accountId: string, id: Buffer): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Ends all sessions of an account but one. @returns how many there were */
export async function endOtherSessions(db: Db, accountId: string, own: Buffer): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '<>', own)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes some expired sessions. @returns whether there may be more */
export const forgetEndedSessions = (db: Db): Promise<boolean> =>
  deleteSome(db, 'sessions', sql`expires_at < statement_timestamp()`);
