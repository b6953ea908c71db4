/** The SQL of authorization codes and tokens. The statement that checks a secret also spends it. */
import { type Selectable, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { rolesWith } from '../../people/members/roles.ts';
import type { TokenPair } from './token-secrets.ts';

/** The digests of a new pair, and how long its access token lives. */
export interface NewPair {
  readonly digests: TokenPair['digests'];
  readonly seconds: number;
}

/** When the database issued a pair, in seconds since 1970. */
export interface Issued {
  readonly created_at: number;
}

const ISSUED_AT = sql`floor(extract(epoch from issued_at))::bigint as created_at`;
const endOf = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds}::integer)`;

export type NewCode = Omit<Selectable<Schema['authorization_codes']>, 'expires_at'>;

/**
 * Stores a code.
 *
 * @returns false if the app, its redirect URI or the account has been deleted, or the person may no longer allow apps
 */
export async function insertCode(db: Db, code: NewCode, seconds: number): Promise<boolean> {
  // The locks keep the rows that the code refers to until it is stored.
  const { rows } = await sql`
    insert into authorization_codes (
      digest, client_id, account_id, person_id, redirect_uri, sent_uri, challenge, expires_at
    )
    select ${code.digest}, uris.client_id, accounts.id, members.person_id, uris.uri, ${code.sent_uri}, ${code.challenge},
      ${endOf(seconds)}
    from accounts join members on members.account_id = accounts.id cross join app_redirect_uris as uris
    where members.person_id = ${code.person_id} and members.role = any(${rolesWith('manageKeys')}::text[])
      and accounts.id = ${code.account_id} and accounts.deleted_at is null and uris.client_id = ${code.client_id} and uris.uri = ${code.redirect_uri}
    for key share of accounts, members, uris
    returning digest
  `.execute(db);
  return rows.length > 0;
}

/** @returns undefined for an unknown code */
export async function ownerOfCode(db: Db, digest: Buffer): Promise<string | undefined> {
  const found = await db
    .selectFrom('authorization_codes')
    .select('account_id')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return found?.account_id;
}

/** The values that must match the code. */
export type CodeCheck = Omit<NewCode, 'account_id' | 'person_id' | 'sent_uri'>;

/**
 * Spends a code, and starts a family of tokens. Of several simultaneous requests, one succeeds.
 *
 * @returns undefined if the code does not exist or does not match. A code that does not match is not spent
 */
export async function exchangeCode(db: Db, code: CodeCheck, pair: NewPair): Promise<Issued | undefined> {
  // What the code depends on is locked first, in the order in which a deletion or the end of a membership locks it.
  const { rows } = await sql<Issued>`
    with member as materialized (
      select from authorization_codes as codes join members using (account_id, person_id)
      where codes.digest = ${code.digest} for key share of members
    ), found as (
      select codes.digest from authorization_codes as codes
        join accounts on accounts.id = codes.account_id
        join apps on apps.client_id = codes.client_id
      where codes.digest = ${code.digest} and codes.client_id = ${code.client_id}
        and coalesce(codes.sent_uri, codes.redirect_uri) = ${code.redirect_uri}
        and codes.challenge is not distinct from ${code.challenge}::text
        and codes.expires_at > clock_timestamp() and accounts.deleted_at is null
        and (codes.person_id is null or exists (select from member))
      for key share of accounts, apps
    ), used as (
      delete from authorization_codes as codes using found where codes.digest = found.digest
      returning codes.client_id, codes.account_id, codes.person_id, codes.digest
    )
    ${insertFamily(pair, sql`select client_id, account_id, person_id, digest as code from used`)}
  `.execute(db);
  return rows[0];
}

/** Issues the tokens of an allowed device, once. */
export async function exchangeDevice(
  db: Db,
  { deviceCode, clientId }: { readonly deviceCode: Buffer; readonly clientId: string },
  pair: NewPair,
): Promise<Issued | undefined> {
  const { rows } = await sql<Issued>`
    with member as materialized (
      select from device_requests as requests join members using (account_id, person_id)
      where requests.device_code = ${deviceCode} for key share of members
    ), found as (
      select requests.device_code from device_requests as requests
        join accounts on accounts.id = requests.account_id
        join apps on apps.client_id = requests.client_id
      where requests.device_code = ${deviceCode} and requests.client_id = ${clientId}
        and requests.state = 'allowed' and requests.expires_at > clock_timestamp()
        and accounts.deleted_at is null and (requests.person_id is null or exists (select from member))
      for key share of accounts, apps
    ), used as (
      delete from device_requests as requests using found where requests.device_code = found.device_code
      returning requests.client_id, requests.account_id, requests.person_id
    )
    ${insertFamily(pair, sql`select client_id, account_id, person_id, null::bytea as code from used`)}
  `.execute(db);
  return rows[0];
}

/**
 * The most grants of an account to an app at once. Each consent makes one, so without a limit a program could fill the
 * database with them. Beyond it, those end whose tokens are the oldest.
 */
const MOST_FAMILIES = 100;

/** The last part of a statement with a `with`, of which `grant` selects. */
function insertFamily({ digests, seconds }: NewPair, grant: ReturnType<typeof sql>) {
  return sql`
    , too_many as materialized (
      select handle from token_families where (account_id, client_id) = (select account_id, client_id from used)
      order by issued_at desc, handle offset ${MOST_FAMILIES - 1} for update skip locked
    ), ended as (
      delete from token_families using too_many where token_families.handle = too_many.handle
    )
    insert into token_families (
      client_id, account_id, person_id, code, handle, refresh_token, access_token, access_expires_at, created_at, issued_at
    )
    select grants.*, ${digests.handle}, ${digests.refreshToken}, ${digests.accessToken}, ${endOf(seconds)},
      clock_timestamp(), clock_timestamp()
    from (${grant}) as grants
    returning ${ISSUED_AT}
  `;
}

/** Revokes the tokens of a code that was used again. */
export async function revokeFamilyOfCode(db: Db, code: Buffer, clientId: string): Promise<void> {
  await db.deleteFrom('token_families').where('code', '=', code).where('client_id', '=', clientId).execute();
}

/** Refresh tokens expire a year after the last access token, because they are unused (RFC 9700, section 4.14.2). */
export const IDLE = sql`statement_timestamp() - interval '1 year'`;

/**
 * Replaces the pair of a family. The old access token ends with the old refresh token.
 *
 * @returns undefined if this is not the current refresh token of the family
 */
export async function rotate(
  db: Db,
  { refreshToken, clientId }: { readonly refreshToken: Buffer; readonly clientId: string },
  { digests, seconds }: NewPair,
): Promise<Issued | undefined> {
  const { rows } = await sql<Issued>`
    update token_families set refresh_token = ${digests.refreshToken}, access_token = ${digests.accessToken},
      access_expires_at = ${endOf(seconds)}, issued_at = clock_timestamp()
    where handle = ${digests.handle} and refresh_token = ${refreshToken} and client_id = ${clientId}
      and access_expires_at > ${IDLE}
    returning ${ISSUED_AT}
  `.execute(db);
  return rows[0];
}

/** Revokes a family by its handle. */
export async function revokeFamily(db: Db, handle: Buffer, clientId: string): Promise<void> {
  await db
    .deleteFrom('token_families')
    .where('handle', '=', handle)
    .where('client_id', '=', clientId)
    .execute();
}

/** Revokes a family by its access token. The refresh token is revoked too, so that a sign-out of an app lasts. */
export async function revokeByAccessToken(db: Db, accessToken: Buffer, clientId: string): Promise<void> {
  await db
    .deleteFrom('token_families')
    .where('access_token', '=', accessToken)
    .where('client_id', '=', clientId)
    .execute();
}

/** The owner of an access token, and the account's limits. */
export type TokenOwner = Pick<
  Selectable<Schema['accounts']>,
  'id' | 'verify_per_second' | 'batch_per_second' | 'account_per_second' | 'batch_size'
> & {
  readonly client_id: string;
  /** The name of the app. */
  readonly name: string;
};

/** @returns undefined for an access token that is unknown, expired or revoked */
export async function findTokenOwner(db: Db, accessToken: Buffer): Promise<TokenOwner | undefined> {
  return (
    db
      .selectFrom('token_families')
      .innerJoin('accounts', 'accounts.id', 'token_families.account_id')
      .innerJoin('apps', 'apps.client_id', 'token_families.client_id')
      .innerJoin('accounts as makers', 'makers.id', 'apps.account_id')
      .select(['accounts.id', 'accounts.verify_per_second', 'accounts.batch_per_second'])
      .select(['accounts.account_per_second', 'accounts.batch_size'])
      .select(['apps.client_id', 'apps.name'])
      .where('access_token', '=', accessToken)
      .where('access_expires_at', '>', sql<Date>`clock_timestamp()`)
      .where('accounts.deleted_at', 'is', null)
      // The housekeeping deletes the apps of a deleted account later.
      .where('makers.deleted_at', 'is', null)
      .executeTakeFirst()
  );
}

/** Revokes everything that the account has granted to the app. @returns whether there was anything */
export async function revokeGrantedApp(db: Db, accountId: string, clientId: string): Promise<boolean> {
  // Codes come first. If a code is being exchanged, its tokens exist by the time of the last statement.
  let count = 0n;
  for (const table of ['authorization_codes', 'device_requests', 'token_families'] as const) {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where('account_id', '=', accountId)
      .where('client_id', '=', clientId)
      .executeTakeFirst();
    count += numDeletedRows;
  }
  return count > 0n;
}

/** Deletes some expired codes. @returns whether there may be more */
export const forgetCodes = (db: Db): Promise<boolean> =>
  deleteSome(db, 'authorization_codes', sql`expires_at <= statement_timestamp()`);

/** How many tokens of an app a statement deletes, while a page waits. */
const MOST_OF_APP = 400;

/** Deletes some tokens of an app. @returns whether there may be more */
export const forgetTokensOfApp = (db: Db, clientId: string): Promise<boolean> =>
  deleteSome(db, 'token_families', sql`client_id = ${clientId}`, MOST_OF_APP);

/** Deletes some unused tokens. @returns whether there may be more */
export const forgetTokens = (db: Db): Promise<boolean> =>
  deleteSome(db, 'token_families', sql`access_expires_at <= ${IDLE}`);

const ofAccount = (accountId: string) =>
  sql<boolean>`account_id = ${accountId} or client_id = any(array(select client_id from apps where account_id = ${accountId}))`;

/** Deletes some codes of an account, and of its apps. @returns whether there may be more */
export const forgetCodesOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'authorization_codes', ofAccount(accountId));

/** Deletes some tokens of an account, and of its apps. @returns whether there may be more */
export const forgetTokensOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'token_families', ofAccount(accountId));
