/** All SQL of sessions. */
import { type RawBuilder, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Role } from '../members/roles.ts';
import {
  forgetBrowser,
  forgetBrowsersOf,
  type ListedBrowser,
  listBrowsersWithoutSession,
  rememberBrowser,
} from './known-browser-store.ts';

/** The signed-in person. */
export interface SignedIn {
  /** The digest of the cookie's value. */
  readonly sessionId: Buffer;
  readonly personId: string;
  /** The person's address. */
  readonly email: string;
  /** The account that the person has chosen in this session, or the first one. Undefined without any. */
  readonly account: SignedInAccount | undefined;
  /** How long ago the person proved in this session who they are. */
  readonly secondsSinceConfirmed: number;
  /** Whether something has changed before this sign-in that the person has not dismissed. */
  readonly hasNews: boolean;
}

export interface SignedInAccount {
  readonly id: string;
  /** The account's unique address, which names it. It need not be the person's. */
  readonly ownerEmail: string;
  readonly role: Role;
}

/** The account that a person is in: the chosen one while they are a member of it, or else the one joined first. */
const accountOf = (personId: RawBuilder<unknown>, chosen: RawBuilder<unknown>) => sql`
  select accounts.id, owner_email, role
  from members join accounts on accounts.id = members.account_id
  where members.person_id = ${personId} and deleted_at is null
  order by accounts.id = ${chosen} desc nulls last, members.created_at, accounts.id limit 1
`;

/** Whether a session has neither reached its end nor been left alone for too long. */
const isOpen = sql<boolean>`least(sessions.expires_at, sessions.idle_at) > clock_timestamp()`;

/**
 * Finds the person of a session with their account and role, and records its use. An ended session is not found. All is
 * read with each request, so an ended membership or another role counts from the next one on.
 *
 * Recording is a write, so it happens at most once a minute, without an extra round trip. It skips a session that
 * another request has locked.
 *
 * @param idleSeconds how long the session lasts from now on without another use. Absent for a request that a page makes
 * by itself, which is no use
 */
export async function findSession(db: Db, id: Buffer, idleSeconds?: number): Promise<SignedIn | undefined> {
  const { rows } = await sql<FoundSession>`
    with seen as (
      update sessions
      set seen_at = clock_timestamp(), idle_at = clock_timestamp() + make_interval(secs => ${idleSeconds ?? null})
      where id = (
        select id from sessions where id = ${id} and ${isOpen} and (
          seen_at < clock_timestamp() - make_interval(secs => least(60, ${idleSeconds ?? null}::float8 / 10))
          or idle_at is null
        )
        for no key update skip locked
      ) and ${idleSeconds !== undefined}
    )
    select persons.id as person_id, email, chosen.id as account_id, owner_email, role,
      extract(epoch from clock_timestamp() - authenticated_at)::float8 as seconds,
      exists (
        select from person_events where person_id = persons.id and dismissed_at is null
          and person_events.created_at < sessions.created_at
      ) as has_news
    from sessions join persons on persons.id = person_id
      left join lateral (${accountOf(sql`persons.id`, sql`chosen_account_id`)}) as chosen on true
    where sessions.id = ${id} and ${isOpen}
  `.execute(db);
  const [found] = rows;
  if (!found) return undefined;
  const { person_id: personId, email, account_id, owner_email, role, seconds, has_news: hasNews } = found;
  const account = account_id === null ? undefined : { id: account_id, ownerEmail: owner_email!, role: role! };
  return { sessionId: id, personId, email, account, secondsSinceConfirmed: seconds, hasNews };
}

interface FoundSession {
  readonly person_id: string;
  readonly email: string;
  readonly account_id: string | null;
  readonly owner_email: string | null;
  readonly role: Role | null;
  readonly seconds: number;
  readonly has_news: boolean;
}

export interface NewSession {
  readonly id: Buffer;
  readonly personId: string;
  /** The hash that the password was checked against. Absent if the person has signed in in another way. */
  readonly passwordHash?: string | undefined;
  readonly seconds: number;
  /** How long it lasts without a use. */
  readonly idleSeconds: number;
  /** The session that this one replaces in the browser, if it exists. */
  readonly replaces: Buffer;
  /** The browser's user agent. */
  readonly userAgent: string | undefined;
  /** The network of the browser. */
  readonly network: string;
  /** The browser in `known_browsers`, which is remembered. */
  readonly browserId: Buffer;
  /** Stores more of the session in the same transaction. */
  readonly alsoStore?: ((transaction: Db, id: Buffer) => Promise<void>) | undefined;
}

/** The most sessions of a person. Each sign-in starts one, so without a limit a program could fill the database with them. */
export const MOST_SESSIONS = 100;
/** Longer texts are cut: browsers send some 120 characters. */
const MOST_OF_USER_AGENT = 400;

/**
 * Starts a session, and ends the one that it replaces. A person who signs in again stays in the account that they had
 * chosen. Above the most sessions, the ones that were used the longest time ago end.
 *
 * The person's row is locked. If a password change comes first, the old password cannot start a session. If it comes
 * later, it ends this session.
 *
 * @returns false if the password has been changed since it was checked, or the person was deleted
 */
export async function insertSession(db: Db, session: NewSession): Promise<boolean> {
  const { id, personId, passwordHash, seconds, idleSeconds, replaces, network, browserId } = session;
  const userAgent = session.userAgent?.slice(0, MOST_OF_USER_AGENT) ?? null;
  return inTransaction(db, async (transaction) => {
    const person = await transaction
      .selectFrom('persons')
      .select('id')
      .where('id', '=', personId)
      .$if(passwordHash !== undefined, (query) => query.where('password_hash', '=', passwordHash!))
      .forShare()
      .executeTakeFirst();
    if (!person) return false;
    const chosen = await replaceSession(transaction, replaces, personId);
    await endOldestSessions(transaction, personId, MOST_SESSIONS - 1);
    await sql`
      insert into sessions (
        id, person_id, chosen_account_id, account_id, expires_at, idle_at, user_agent, network, browser_id
      )
      select ${id}, ${personId}, chosen.id, case when role = 'owner' then chosen.id end,
        clock_timestamp() + make_interval(secs => ${seconds}),
        clock_timestamp() + make_interval(secs => ${idleSeconds}), ${userAgent}, ${network}, ${browserId}
      from (values (1)) as one left join (${accountOf(sql`${personId}`, sql`${chosen}::text`)}) as chosen on true
    `.execute(transaction);
    await rememberBrowser(transaction, { id: browserId, personId, userAgent, network });
    await session.alsoStore?.(transaction, id);
    return true;
  });
}

/** @returns the account that the person had chosen in the session. Null if it was another person's */
async function replaceSession(db: Db, id: Buffer, personId: string): Promise<string | null> {
  const former = await db
    .deleteFrom('sessions')
    .where('id', '=', id)
    .returning(['person_id', 'chosen_account_id'])
    .executeTakeFirst();
  return former?.person_id === personId ? former.chosen_account_id : null;
}

/** Chooses an account in a session. @returns whether the person is a member of it */
export async function chooseAccount(db: Db, id: Buffer, accountId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update sessions set chosen_account_id = members.account_id,
      account_id = case when role = 'owner' then members.account_id end
    from members join accounts on accounts.id = members.account_id
    where sessions.id = ${id} and members.person_id = sessions.person_id and members.account_id = ${accountId}
      and deleted_at is null
  `.execute(db);
  return numAffectedRows > 0n;
}

/**
 * Tells processes of the version before, which know owners alone, whether a person has become an owner of an account or is
 * one no more.
 */
export async function setOwnedAccount(
  db: Db,
  accountId: string,
  personId: string,
  isOwner: boolean,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ account_id: isOwner ? accountId : null })
    .where('person_id', '=', personId)
    .where(isOwner ? 'chosen_account_id' : 'account_id', '=', accountId)
    .execute();
}

/** Takes an account out of the sessions of a person, or of all persons. They go on with another account, or without one. */
export async function leaveAccount(db: Db, accountId: string, personId?: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ account_id: null, chosen_account_id: null })
    .where(({ or, eb }) => or([eb('account_id', '=', accountId), eb('chosen_account_id', '=', accountId)]))
    .$if(personId !== undefined, (query) => query.where('person_id', '=', personId!))
    .execute();
}

/** Records that the person has proved who they are. @returns whether the person has this session */
export async function confirmSession(db: Db, id: Buffer, personId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set({ authenticated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .where(isOpen)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a session. */
export async function endSession(db: Db, id: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute();
}

/** Ends the sessions of a person that were used the longest time ago. @param kept how many stay */
async function endOldestSessions(db: Db, personId: string, kept: number): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where person_id = ${personId} order by seen_at desc, id offset ${kept}
    )
  `.execute(db);
}

/** Ends all sessions of a person. */
export async function endSessionsOf(db: Db, personId: string): Promise<void> {
  await db.deleteFrom('sessions').where('person_id', '=', personId).execute();
}

/** A session as the person sees it. */
export interface ListedSession extends Omit<ListedBrowser, 'used_at'> {
  readonly seen_at: Date;
  readonly is_this: boolean;
}

/** The sessions of a person: `own` first, then the most recently used. */
export async function listSessions(db: Db, personId: string, own: Buffer): Promise<ListedSession[]> {
  const { rows } = await sql<ListedSession>`
    select encode(id, 'hex') as id, user_agent, network, created_at, seen_at, id = ${own} as is_this
    from sessions where person_id = ${personId} and ${isOpen}
    order by is_this desc, seen_at desc, id
  `.execute(db);
  return rows;
}

/** How many sessions a person has. */
export async function countSessions(db: Db, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from sessions where person_id = ${personId} and ${isOpen}
  `.execute(db);
  return rows[0]!.count;
}

/**
 * Ends one session of a person. The service also forgets its browser, because the person may not know it.
 *
 * @returns how many there were: 0 or 1
 */
export async function endSessionOf(db: Db, personId: string, id: Buffer): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const ended = await transaction
      .deleteFrom('sessions')
      .where('person_id', '=', personId)
      .where('id', '=', id)
      .returning('browser_id')
      .executeTakeFirst();
    if (ended?.browser_id) await forgetBrowser(transaction, personId, ended.browser_id);
    return ended ? 1 : 0;
  });
}

/** Forgets a browser of a person, and ends the sessions in it. @returns whether there was one, or a session in it */
export async function endBrowserOf(db: Db, personId: string, browserId: Buffer): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('sessions')
      .where('person_id', '=', personId)
      .where('browser_id', '=', browserId)
      .executeTakeFirst();
    return (await forgetBrowser(transaction, personId, browserId)) > 0 || numDeletedRows > 0n;
  });
}

/**
 * Ends all sessions of a person but one, and forgets all browsers but the one of this session.
 *
 * @returns how many sessions and browsers without a session there were
 */
export async function endOtherSessions(db: Db, personId: string, own: Buffer): Promise<number> {
  return inTransaction(db, async (transaction) => {
    const idle = await listBrowsersWithoutSession(transaction, personId);
    const { numDeletedRows } = await transaction
      .deleteFrom('sessions')
      .where('person_id', '=', personId)
      .where('id', '<>', own)
      .executeTakeFirst();
    const kept = await transaction
      .selectFrom('sessions')
      .select('browser_id')
      .where('id', '=', own)
      .executeTakeFirst();
    await forgetBrowsersOf(transaction, personId, kept?.browser_id ?? undefined);
    return Number(numDeletedRows) + idle.length;
  });
}

/** Deletes some sessions that have ended. @returns whether there may be more */
export async function forgetEndedSessions(db: Db): Promise<boolean> {
  const isIdle = await deleteSome(db, 'sessions', sql`idle_at < statement_timestamp()`);
  return (await deleteSome(db, 'sessions', sql`expires_at < statement_timestamp()`)) || isIdle;
}
