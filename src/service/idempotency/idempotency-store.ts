/** The SQL of `Idempotency-Key`. */
import { type ExpressionBuilder, sql } from 'kysely';
import { holdsOneOf } from '../database/ascii.ts';
import type { Db, IdempotencyTable, Schema } from '../database/schema.ts';

/** The requests that share an `Idempotency-Key`. Test keys and live keys share none, and neither do the routes. */
export interface KeyScope {
  readonly accountId: string;
  readonly mode: IdempotencyTable['mode'];
  readonly route: IdempotencyTable['route'];
}

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest extends KeyScope {
  readonly key: string;
  /** SHA-256 of the endpoint and the body. */
  readonly request: Buffer;
}

/** The earlier request with the same key. */
export interface EarlierRequest {
  readonly request: Buffer;
  /** Null while it runs. */
  readonly status: number | null;
  readonly body: string | null;
}

/**
 * Takes the key, unless another request has it. A key becomes free after a day, or when the process of its request
 * dies. Requests never run for two minutes, so one that seems to has ended without the database, and could not free its
 * key. The caller ensures that no other request of this process has the key.
 *
 * @returns undefined if this call took the key, otherwise the request that has it
 */
export async function takeKey(
  db: Db,
  keyed: KeyedRequest,
  processId: string,
): Promise<EarlierRequest | undefined> {
  const { accountId, mode, route, key, request } = keyed;
  for (;;) {
    const { rows } = await sql`
      insert into idempotency as earlier (account_id, mode, route, key, request, process_id, created_at)
      values (${accountId}, ${mode}, ${route}, ${key}, ${request}, ${processId}, clock_timestamp())
      on conflict (account_id, mode, route, key) do update set
        request = excluded.request, process_id = excluded.process_id, created_at = excluded.created_at,
        status = null, body = null
      where earlier.created_at < clock_timestamp() - interval '1 day'
        or (earlier.status is null
          and (earlier.process_id = excluded.process_id or not is_process_alive(earlier.process_id)
            or earlier.created_at < clock_timestamp() - interval '2 minutes'))
      returning key
    `.execute(db);
    if (rows.length > 0) return undefined;
    const earlier = await db
      .selectFrom('idempotency')
      .select(['request', 'status', 'body'])
      .where(isOf(keyed))
      .executeTakeFirst();
    // The key can become free between the two statements.
    if (earlier) return earlier;
  }
}

/**
 * Stores the response of the request that has the key. Repeated calls keep the first response.
 *
 * @returns false if the request no longer has the key, because another process considered this one dead
 */
export async function storeResponse(
  db: Db,
  keyed: KeyedRequest,
  processId: string,
  { status, body }: { readonly status: number; readonly body: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency')
    .set({ status, body })
    .where(isOf(keyed))
    .where('process_id', '=', processId)
    .where('status', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Frees the key, unless its response is stored. */
export async function freeKey(db: Db, keyed: KeyedRequest, processId: string): Promise<void> {
  await db
    .deleteFrom('idempotency')
    .where(isOf(keyed))
    .where('process_id', '=', processId)
    .where('status', 'is', null)
    .execute();
}

/** The row of a key. */
const isOf =
  ({ accountId, mode, route, key }: KeyedRequest) =>
  ({ and }: ExpressionBuilder<Schema, 'idempotency'>) =>
    and({ account_id: accountId, mode, route, key });

/** A response that is kept for its key. */
export interface StoredResponse extends Pick<IdempotencyTable, 'mode' | 'route' | 'key'> {
  readonly created_at: Date;
  readonly body: string;
}

/**
 * The responses of an account that may contain one of the texts, in the form of `asciiOf()`, including in their keys.
 */
export async function findResponses(
  db: Db,
  accountId: string,
  ascii: readonly string[],
): Promise<StoredResponse[]> {
  const { rows } = await sql<StoredResponse>`
    select mode, route, key, created_at, body from idempotency
    where account_id = ${accountId} and body is not null
      and ${holdsOneOf(sql<string>`concat(to_json(key), body)`, ascii)}
    order by created_at, key, mode, route
  `.execute(db);
  return rows;
}

/**
 * The response to a repeated request whose first response was erased. The request does not run again, so it costs no
 * credit.
 */
const ERASED = {
  status: 404,
  body: JSON.stringify({
    message:
      'The first response to this Idempotency-Key was erased by the owner of the account. Send a new key to verify again.',
  }),
};

/** Erases responses. Their keys stay in use. @returns how many were erased */
export async function replaceResponses(
  db: Db,
  accountId: string,
  responses: readonly StoredResponse[],
): Promise<number> {
  const keys = JSON.stringify(responses.map(({ mode, route, key }) => ({ mode, route, key })));
  const { numAffectedRows = 0n } = await sql`
    update idempotency set status = ${ERASED.status}, body = ${ERASED.body}
    where account_id = ${accountId} and status is not null and (mode, route, key) in (
      select mode, route, key from jsonb_to_recordset(${keys}::jsonb) as each (mode text, route text, key text)
    )
  `.execute(db);
  return Number(numAffectedRows);
}

/** Deletes all but the latest responses to an account's test keys. @param most how many stay */
export async function trimTestResponses(db: Db, accountId: string, most: number): Promise<void> {
  await sql`
    with responses as (
      select created_at from idempotency
      where account_id = ${accountId} and mode = 'test' and status is not null
    )
    delete from idempotency
    where account_id = ${accountId} and mode = 'test' and status is not null
      and created_at <= (select created_at from responses order by created_at desc offset ${most} limit 1)
  `.execute(db);
}

/** Deletes the keys and responses that are older than a day. */
export async function forgetResponses(db: Db): Promise<void> {
  await db
    .deleteFrom('idempotency')
    .where('created_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .execute();
}
