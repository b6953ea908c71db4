/** All SQL of single sign-on. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { holdPerson } from '../factors/factor-store.ts';

/** How long a person may take at the provider. */
const REQUEST_MINUTES = 10;
/** Each may keep a long form. Without a limit, a person with many networks could fill the database with them. */
const MOST_CONFIRMATIONS = 20;

export interface NewRequest {
  readonly state: Buffer;
  readonly browser: Buffer;
  /** Who confirms the session. Null for a sign-in. */
  readonly personId: string | null;
  readonly returnTo: string | null;
  readonly sealed: Buffer | null;
}

/** Stores what the callback needs. Above the most, the oldest confirmations of the person end. */
export async function insertRequest(db: Db, request: NewRequest): Promise<void> {
  const { state, browser, personId, returnTo, sealed } = request;
  await inTransaction(db, async (transaction) => {
    if (personId !== null) await endOldestConfirmations(transaction, personId, MOST_CONFIRMATIONS - 1);
    await transaction
      .insertInto('provider_requests')
      .values({
        ...{ state, browser, sealed, person_id: personId, return_to: returnTo },
        expires_at: sql<Date>`clock_timestamp() + make_interval(mins => ${REQUEST_MINUTES})`,
      })
      .execute();
  });
}

/** @param kept how many stay */
async function endOldestConfirmations(db: Db, personId: string, kept: number): Promise<void> {
  // Requests at once must not stand beside each other above the limit.
  await holdPerson(db, personId);
  await sql`
    delete from provider_requests where state = any(array(
      select state from provider_requests where person_id = ${personId}
      order by begun_at desc, state offset ${kept}
    ))
  `.execute(db);
}

export interface TakenRequest {
  readonly person_id: string | null;
  readonly return_to: string | null;
  readonly sealed: Buffer | null;
  /** By the clock of the database, in seconds since 1970. */
  readonly begun_at: number;
  /** In the same way. */
  readonly taken_at: number;
}

/**
 * Takes a request, which can be done once, and only by the browser that began it.
 *
 * @returns undefined if there is none, or if it has ended
 */
export async function takeRequest(db: Db, state: Buffer, browser: Buffer): Promise<TakenRequest | undefined> {
  const { rows } = await sql<TakenRequest>`
    delete from provider_requests
    where state = ${state} and browser = ${browser} and expires_at > clock_timestamp()
    returning person_id, return_to, sealed, extract(epoch from begun_at)::float8 as begun_at,
      extract(epoch from clock_timestamp())::float8 as taken_at
  `.execute(db);
  return rows[0];
}

/** Deletes some requests that have ended. @returns whether there may be more */
export const forgetProviderRequests = (db: Db): Promise<boolean> =>
  deleteSome(db, 'provider_requests', sql`expires_at <= statement_timestamp()`);

/** Whom the provider knows. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** @returns the id of the person, if there is one */
export async function findIdentity(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
  const found = await db
    .selectFrom('identities')
    .select('person_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return found?.person_id;
}

/**
 * Links an identity to a person.
 *
 * @returns false if the person has another identity at this provider, or the identity another person
 */
export async function insertIdentity(
  db: Db,
  { issuer, subject }: Identity,
  personId: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into identities (issuer, subject, person_id) values (${issuer}, ${subject}, ${personId})
    on conflict do nothing
    returning person_id
  `.execute(db);
  return rows.length > 0 || (await findIdentity(db, { issuer, subject })) === personId;
}

/** Unlinks a person. @returns what was linked */
export async function deleteIdentities(db: Db, personId: string): Promise<Identity[]> {
  return db
    .deleteFrom('identities')
    .where('person_id', '=', personId)
    .returning(['issuer', 'subject'])
    .execute();
}

/** Records which session of the provider a session comes from. A confirmation may begin a new one there. */
export async function putProviderSession(
  db: Db,
  sessionId: Buffer,
  { issuer, subject, sid }: Identity & { readonly sid: string | undefined },
): Promise<void> {
  const session = { issuer, subject, sid: sid ?? null };
  await db
    .insertInto('provider_sessions')
    .values({ session_id: sessionId, ...session })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(session))
    .execute();
}

/** What a logout token names: a session of the provider, all sessions of a person there, or both. */
export interface LoggedOut {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

/** The sessions that a logout token ends. */
export async function findLoggedOut(db: Db, { issuer, subject, sid }: LoggedOut): Promise<Buffer[]> {
  const found = await db
    .selectFrom('provider_sessions')
    .select('session_id')
    .where('issuer', '=', issuer)
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject!))
    .$if(sid !== undefined, (query) => query.where('sid', '=', sid!))
    .execute();
  return found.map(({ session_id }) => session_id);
}

/** Takes a logout token. @returns false if it was taken before */
export async function takeLogoutToken(db: Db, id: Buffer, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into logout_tokens (id, expires_at)
    values (${id}, clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict do nothing
    returning id
  `.execute(db);
  return rows.length > 0;
}

/** Deletes some logout tokens that no longer count anyway. @returns whether there may be more */
export const forgetLogoutTokens = (db: Db): Promise<boolean> =>
  deleteSome(db, 'logout_tokens', sql`expires_at <= statement_timestamp()`);
