/** The SQL of `Idempotency-Key`. */
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { holdsOneOf } from '../database/ascii.ts';
import { deleteSome } from '../database/delete-some.ts';
import type { Db, Schema } from '../database/schema.ts';
import { searchInChunks } from '../database/search-in-chunks.ts';

/** The requests that share an `Idempotency-Key`. Test keys and live keys share none, and neither do the routes. */
export interface KeyScope {
  readonly accountId: string;
  readonly mode: Schema['idempotency']['mode'];
  readonly route: Schema['idempotency']['route'];
}

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest extends KeyScope {
  readonly key: string;
  /** SHA-256 of the endpoint and the body. */
  readonly request: Buffer;
}

/** The earlier request with the same key. Its status and its body are null while it runs. */
export type EarlierRequest = Pick<Selectable<Schema['idempotency']>, 'request' | 'status' | 'body'>;

/**
 * Takes the key, unless another request has it. A key becomes free after a day, or when the process of its request
 * dies. Requests never run for two minutes, so one that seems to has ended without the database, and could not free its
 * key. The caller ensures that no other request of this process has the key.
 *
 * The row refers to the account, so PostgreSQL would wait for a locked one. It is left alone instead. Of an account that
 * is gone, the reference fails.
 *
 * @returns the request that has the key if it is not this one, or `busy` if the account is locked
 */
export async function takeKey(
  db: Db,
  keyed: KeyedRequest,
  processId: string,
): Promise<EarlierRequest | 'taken' | 'busy'> {
  const { accountId, mode, route, key, request } = keyed;
  for (;;) {
    const { rows } = await sql<{ is_free: boolean; is_taken: boolean }>`
      with account as materialized (
        select from accounts where id = ${accountId} for key share skip locked
      ), state as materialized (
        select exists (select from account) or not exists (select from accounts where id = ${accountId}) as is_free
      ), taken as (
        insert into idempotency as earlier (account_id, mode, route, key, request, process_id, created_at)
        select ${accountId}, ${mode}, ${route}, ${key}, ${request}, ${processId}::uuid, clock_timestamp()
        from state where is_free
        on conflict (account_id, mode, route, key) do update set
          request = excluded.request, process_id = excluded.process_id, created_at = excluded.created_at,
          status = null, body = null
        where earlier.created_at < clock_timestamp() - interval '1 day'
          or (earlier.status is null
            and (earlier.process_id = excluded.process_id or not is_process_alive(earlier.process_id)
              or earlier.created_at < clock_timestamp() - interval '2 minutes'))
        returning key
      )
      select is_free, exists (select from taken) as is_taken from state
    `.execute(db);
    const { is_free, is_taken } = rows[0]!;
    if (is_taken) return 'taken';
    if (!is_free) return 'busy';
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
export interface StoredResponse extends Pick<Schema['idempotency'], 'mode' | 'route' | 'key'> {
  readonly created_at: Date;
  readonly body: string;
}

/** How many responses one statement searches. */
const CHUNK = 1_000;

/**
 * The responses of an account that may contain one of the texts, in the form of `asciiOf()`, including in their keys.
 */
export async function findResponses(
  db: Db,
  accountId: string,
  ascii: readonly string[],
): Promise<StoredResponse[]> {
  const found = await searchInChunks<Omit<StoredResponse, 'created_at'> & { created_at: string }>(
    db,
    CHUNK,
    (position) => sql`
      select *, json_build_array(mode, route, key) as position from idempotency
      where account_id = ${accountId} and (${position}::json is null or (mode, route, key)
        > (${position}::json ->> 0, ${position}::json ->> 1, ${position}::json ->> 2))
      order by mode, route, key
    `,
    (chunk) => sql`
      select mode, route, key, created_at, body from ${chunk}
      where body is not null and ${holdsOneOf(sql<string>`concat(to_json(key), body)`, ascii)}
    `,
  );
  return found
    .map(({ created_at, ...response }) => ({ ...response, created_at: new Date(created_at) }))
    .sort((one, other) => one.created_at.getTime() - other.created_at.getTime());
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

/** One response of so many is counted. */
const SAMPLE = 100;
/** How many responses a statement deletes. */
const MOST_TRIMMED = 200;

/**
 * Deletes some of the oldest responses to an account's test keys. It counts samples instead of all of them, so about the
 * latest `most` stay.
 */
export async function trimTestResponses(db: Db, accountId: string, most: number): Promise<void> {
  // As in the indexes idempotency_of_test and idempotency_test_samples.
  const isOne = sql`account_id = ${accountId} and mode = 'test' and status is not null`;
  const isSample = sql`extract(microseconds from created_at at time zone 'UTC')::integer % 100 = 0`;
  await sql`
    delete from idempotency where ctid = any(array(
      select ctid from idempotency where ${isOne} and created_at <= (
        select created_at from idempotency where ${isOne} and ${isSample}
        order by created_at desc offset ${Math.ceil(most / SAMPLE)} limit 1
      )
      order by created_at limit ${MOST_TRIMMED} for update skip locked
    ))
  `.execute(db);
}

/** Deletes some keys and responses that are older than a day. @returns whether there may be more */
export const forgetResponses = (db: Db): Promise<boolean> =>
  deleteSome(db, 'idempotency', sql`created_at < statement_timestamp() - interval '1 day'`);

/** Deletes some keys and responses of an account. @returns whether there may be more */
export const forgetResponsesOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'idempotency', sql`account_id = ${accountId}`);
