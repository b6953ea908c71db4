/** All SQL of batches. */
import { type Selectable, sql } from 'kysely';
import { splitAddress } from '../../engine/address/parts.ts';
import type { Reason } from '../../protocol/result.ts';
import { nextTurn } from '../core/steps.ts';
import type { BatchesTable, Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { listDeletion } from '../lists/list-store.ts';
import { MOST_INLINE } from './batch-response.ts';
import { insertCallback } from './callbacks/callback-store.ts';
import { createDownloadName } from './download/download-name.ts';
import type { BatchEntry } from './parse-addresses.ts';
import type { Tally } from './result-counts.ts';
import type { BatchResult } from './result-fields.ts';

export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  /** The owner's name for it. */
  readonly name?: string | null | undefined;
  readonly mode: 'test' | 'live';
  readonly total: number;
  readonly entries: readonly BatchEntry[];
  readonly responseFields: readonly string[] | null;
  readonly retries: boolean;
  readonly url: string | null;
}

/** A result and the address's place in its batch. */
export interface PlacedResult {
  readonly place: number;
  readonly result: BatchResult;
}

/** A batch as its owner sees it. */
export type Batch = Pick<
  Selectable<BatchesTable>,
  | 'id'
  | 'account_id'
  | 'total'
  | 'distinct_total'
  | 'response_fields'
  | 'paused_at'
  | 'completed_at'
  | 'reason_counts'
  | 'download_name'
> & {
  /** Whether the results are no longer returned. */
  readonly is_expired: boolean;
};

/** How long results are kept, in seconds. */
export interface Retention {
  readonly inlineResults: number;
  readonly downloadFile: number;
  /** The longest time for test keys, whose results can be made again. */
  readonly testBatch: number;
  /** Batches with more entries have a file. */
  readonly mostInline: number;
}

/** Inserts a batch and its addresses. Call it in a transaction. */
export async function insertBatch(db: Db, batch: NewBatch): Promise<void> {
  const { id, accountId, name, mode, total, entries, responseFields, retries, url } = batch;
  await db
    .insertInto('batches')
    .values({
      id,
      account_id: accountId,
      ...(name && { name }),
      mode,
      total,
      distinct_total: entries.length,
      response_fields: responseFields ? [...responseFields] : null,
      retries,
      url,
      download_name: total > MOST_INLINE ? createDownloadName() : null,
    })
    .execute();
  const takeTurn = numberTurns();
  for (let first = 0; first < entries.length; first += MOST_INSERTED) {
    await nextTurn();
    await insertRows(db, id, first, entries.slice(first, first + MOST_INSERTED), takeTurn);
  }
}

/** How many addresses a statement inserts. To write it takes about 5 ms, while requests wait. */
const MOST_INSERTED = 5_000;

async function insertRows(
  db: Db,
  id: string,
  first: number,
  entries: readonly BatchEntry[],
  takeTurn: (address: string) => number,
): Promise<void> {
  const addresses = JSON.stringify(entries.map(({ address }) => address));
  const duplicates = entries.map((entry) => entry.duplicates);
  const turns = entries.map(({ address }) => takeTurn(address));
  await sql`
    insert into batch_rows (batch_id, place, address, duplicates, turn)
    select ${id}, ${first}::integer + place - 1, address, duplicates, turn
    -- One JSON text, because escaping an array of long texts takes the driver seconds.
    from rows from (
      json_array_elements(${addresses}::json), unnest(${duplicates}::integer[]), unnest(${turns}::integer[])
    ) with ordinality as entry (address, duplicates, turn, place)
  `.execute(db);
}

/** Numbers the addresses of each domain, so that all domains get their turn. */
function numberTurns(): (address: string) => number {
  const turns = new Map<string, number>();
  return (address) => {
    const domain = splitAddress(address).domain.toLowerCase();
    const turn = turns.get(domain) ?? 0;
    turns.set(domain, turn + 1);
    return turn;
  };
}

/** How many results of one reason were stored. */
export interface StoredResults {
  readonly account_id: string;
  readonly reason: Reason;
  readonly count: number;
}

/**
 * Stores results of open addresses. Existing results stay.
 *
 * @returns what was stored
 */
export async function storeResults(
  db: Db,
  id: string,
  results: readonly PlacedResult[],
): Promise<StoredResults[]> {
  const { rows } = await sql<StoredResults>`
    with stored as (
      update batch_rows set reason = new.reason, result = new.result
      from rows from (
        unnest(${results.map(({ place }) => place)}::integer[]),
        unnest(${results.map(({ result }) => result.reason)}::text[]),
        json_array_elements(${JSON.stringify(results.map(({ result }) => result))}::json)
      ) as new (place, reason, result)
      where batch_id = ${id} and batch_rows.place = new.place and batch_rows.reason is null
      returning batch_id, batch_rows.reason
    )
    select account_id, reason, count(*) as count from stored join batches on batches.id = batch_id group by 1, 2
  `.execute(db);
  return rows;
}

/**
 * Locks the account of a batch. Call this before a change of credits. A deletion also locks the account first.
 *
 * @returns the account's id, or undefined if the batch or the account was deleted
 */
export async function lockOwner(db: Db, id: string): Promise<string | undefined> {
  const owner = await db
    .selectFrom('accounts')
    .innerJoin('batches', 'batches.account_id', 'accounts.id')
    .select('accounts.id')
    .where('batches.id', '=', id)
    .forNoKeyUpdate('accounts')
    .executeTakeFirst();
  return owner?.id;
}

/**
 * Prevents the deletion of a batch's account until the transaction ends. Call this before you lock the batch or its
 * callback and write the audit log.
 */
export async function holdOwner(db: Db, id: string): Promise<void> {
  await db
    .selectFrom('accounts')
    .innerJoin('batches', 'batches.account_id', 'accounts.id')
    .select('accounts.id')
    .where('batches.id', '=', id)
    .forKeyShare('accounts')
    .execute();
}

/**
 * Completes the batch if all its addresses have a result. Only one process succeeds, so there is one callback. A paused
 * batch stays open until it is resumed.
 *
 * @returns whether this call has completed it
 */
export async function completeBatch(db: Db, id: string, retention: Retention): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const completed = await markCompleted(transaction, id, retention);
    if (completed && completed.url !== null) await insertCallback(transaction, id);
    return completed !== undefined;
  });
}

/** @returns undefined if this call has not completed it */
async function markCompleted(db: Db, id: string, retention: Retention) {
  return db
    .updateTable('batches')
    .set({
      completed_at: sql<Date>`clock_timestamp()`,
      expires_at: sql<Date>`clock_timestamp() + make_interval(secs => least(
        case
          when total > ${retention.mostInline} then ${retention.downloadFile}::integer
          else ${retention.inlineResults}::integer
        end,
        case mode when 'test' then ${retention.testBatch}::integer end,
        -- Locked, so that a change of the setting comes before or after, and in both cases counts for this batch.
        (select keep_results_seconds from accounts where accounts.id = batches.account_id for share)
      ))`,
      reason_counts: sql<string>`(
        select jsonb_object_agg(reason, count) from (
          select reason, count(*) as count from batch_rows where batch_id = batches.id group by reason
        ) as counted
      )`,
    })
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .where('paused_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('batch_rows')
            .select('place')
            .whereRef('batch_id', '=', 'batches.id')
            .where('reason', 'is', null),
        ),
      ),
    )
    .returning('url')
    .executeTakeFirst();
}

/** The effect of a shorter retention on completed batches. */
export interface Shortening {
  /** How many keep their results for a shorter time. */
  readonly shortened: number;
  /** How many of them lose their results at once. */
  readonly ended: number;
}

/** Previews the effect of {@link shortenRetention}. */
export async function previewShortening(db: Db, accountId: string, seconds: number): Promise<Shortening> {
  const { rows } = await sql<Shortening>`
    select count(*) as shortened, count(*) filter (where new_end <= clock_timestamp()) as ended
    from batches, lateral (
      select completed_at + make_interval(secs => ${seconds}::integer) as new_end
    ) as shorter
    where account_id = ${accountId} and expires_at > clock_timestamp() and new_end < expires_at
  `.execute(db);
  return rows[0]!;
}

/** Shortens the retention of the account's results. Call it in the transaction that has changed the account. */
export async function shortenRetention(db: Db, accountId: string, seconds: number): Promise<Shortening> {
  const { rows } = await sql<Shortening>`
    with shorter as (
      update batches set expires_at = completed_at + make_interval(secs => ${seconds}::integer)
      where account_id = ${accountId} and expires_at > clock_timestamp()
        and completed_at + make_interval(secs => ${seconds}::integer) < expires_at
      returning expires_at
    )
    select count(*) as shortened, count(*) filter (where expires_at <= clock_timestamp()) as ended from shorter
  `.execute(db);
  return rows[0]!;
}

/** The batch of this account, or undefined. */
export async function findBatch(db: Db, accountId: string, id: string): Promise<Batch | undefined> {
  return db
    .selectFrom('batches')
    .select([
      'id',
      'account_id',
      'total',
      'distinct_total',
      'response_fields',
      'paused_at',
      'completed_at',
      'reason_counts',
      'download_name',
      sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('is_expired'),
    ])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/** The progress so far. */
export interface Progress {
  readonly tally: Tally;
  /** The entries that are equal to an address with a result. */
  readonly duplicates: number;
}

/** The time does not depend on the size of the batch. */
export async function readProgress(db: Db, id: string): Promise<Progress> {
  const rows = await db
    .selectFrom('batch_progress')
    .select([
      'reason',
      sql<number>`sum(count)::bigint`.as('count'),
      sql<number>`sum(duplicates)::bigint`.as('duplicates'),
    ])
    .where('batch_id', '=', id)
    .groupBy('reason')
    .execute();
  return {
    tally: Object.fromEntries(rows.map(({ reason, count }) => [reason, count])) as Tally,
    duplicates: rows.reduce((sum, { duplicates }) => sum + duplicates, 0),
  };
}

/** A stored result. */
export interface ResultRow {
  readonly reason: Reason;
  readonly duplicates: number;
  readonly result: BatchResult;
}

/** The results of a batch, in the order sent. */
export async function readResults(db: Db, id: string): Promise<ResultRow[]> {
  return db
    .selectFrom('batch_rows')
    .select(['reason', 'duplicates', 'result'])
    .where('batch_id', '=', id)
    .where('reason', 'is not', null)
    .orderBy('place')
    .$narrowType<ResultRow>()
    .execute();
}

/** The batches of test keys that have addresses without a result, oldest first. */
export async function openSamples(db: Db, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom('batches')
    .select('id')
    .where('completed_at', 'is', null)
    .where('paused_at', 'is', null)
    .where('mode', '=', 'test')
    .orderBy('created_at')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}

/** An address that waits for its result. */
export interface OpenRow {
  readonly place: number;
  readonly address: string;
}

/** Locks open addresses until the transaction ends. Skips those that another transaction has locked. */
export async function lockOpenRows(db: Db, id: string, most: number): Promise<OpenRow[]> {
  return db
    .selectFrom('batch_rows')
    .select(['place', 'address'])
    .where('batch_id', '=', id)
    .where('reason', 'is', null)
    .orderBy('place')
    .limit(most)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** How many addresses a statement deletes. It takes some 50 ms. */
const CHUNK = 5_000;

/**
 * Deletes addresses of the batch whose results expired first, and their list. The counts stay. Skips a batch that
 * another process is emptying.
 *
 * @returns whether there may be more to delete
 */
export async function forgetResults(db: Db, most = CHUNK): Promise<boolean> {
  const { rows } = await sql<{ batches: number }>`
    with expired as materialized (
      select id from batches where emptied_at is null and expires_at <= clock_timestamp()
      order by expires_at limit 1 for no key update skip locked
    ), chunk as materialized (
      select batch_id, place from batch_rows where batch_id = (select id from expired) order by place limit ${most}
    ), gone as (
      delete from batch_rows using chunk
      where batch_rows.batch_id = chunk.batch_id and batch_rows.place = chunk.place
    ), ${listDeletion(sql`select id from lists where batch_id = (select id from expired)`, most)}, last as materialized (
      -- As for the list, chunks that are not full are the last ones.
      select id from expired
      where (select count(*) from chunk) < ${most} and (select count(*) from list_chunk) < ${most}
    ), emptied as (
      update batches set emptied_at = clock_timestamp() where id = (select id from last)
    )
    select count(*) as batches from expired
  `.execute(db);
  return rows[0]!.batches > 0;
}

/**
 * Deletes the progress of batches that are deleted or completed, a minute later, because a request may still be reading
 * it.
 */
export async function forgetProgress(db: Db): Promise<void> {
  await sql`
    delete from batch_progress where not exists (
      select from batches where batches.id = batch_id
        and (completed_at is null or completed_at > clock_timestamp() - interval '1 minute')
    )
  `.execute(db);
}
