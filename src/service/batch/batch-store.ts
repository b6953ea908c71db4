/** All SQL of batches. */
import { type RawBuilder, sql } from 'kysely';
import { splitAddress } from '../../engine/address/parts.ts';
import type { Reason } from '../../protocol/result.ts';
import { nextTurn } from '../../shared/steps.ts';
import type { Durations } from '../config/sections/durations-section.ts';
import { deleteSome, MOST_DELETED } from '../database/delete-some.ts';
import type { Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { MOST_DEATHS } from '../jobs/lease-store.ts';
import { listDeletion } from '../lists/list-store.ts';
import { countByDay } from '../usage/usage-store.ts';
import { MOST_INLINE } from './batch-response.ts';
import { insertCallback } from './callbacks/callback-store.ts';
import { createDownloadName } from './download/download-name.ts';
import type { BatchEntries, BatchEntry } from './entries/collected-entries.ts';
import { CountedTexts } from './entries/counted-texts.ts';
import type { Tally } from './result-counts.ts';
import type { BatchResult } from './result-fields.ts';

export interface NewBatch {
  readonly id: string;
  readonly accountId: string;
  /** The owner's name for it. */
  readonly name?: string | null | undefined;
  readonly mode: 'test' | 'live';
  readonly total: number;
  readonly entries: BatchEntries;
  readonly responseFields: readonly string[] | null;
  readonly retries: boolean;
  /** Whether to ask which domains accept every address. @default the config's value */
  readonly acceptAll?: boolean | undefined;
  /** Whether it costs no credits. @default false */
  readonly isFree?: boolean | undefined;
  readonly url: string | null;
  /** The id of the person who starts it on a page. */
  readonly madeBy?: string | undefined;
}

/** A result and the address's place in its batch. */
export type PlacedResult = { readonly place: number; readonly result: BatchResult };

/** A batch as its owner sees it. */
export type Batch = NonNullable<Awaited<ReturnType<typeof findBatch>>>;

/** How long results are kept, in seconds. */
export type Retention = Pick<Durations, 'inlineResults' | 'downloadFile' | 'testBatch'>;

/** Inserts a batch and its addresses in one transaction, whose end queues the batch. */
export async function insertBatch(db: Db, batch: NewBatch): Promise<void> {
  await inTransaction(db, (transaction) => insertWithRows(transaction, batch));
}

async function insertWithRows(db: Db, batch: NewBatch): Promise<void> {
  const { id, name, total, entries, responseFields, acceptAll, madeBy } = batch;
  await db
    .insertInto('batches')
    .values({
      id,
      account_id: batch.accountId,
      ...(name && { name }),
      mode: batch.mode,
      total,
      distinct_total: entries.distinct,
      response_fields: responseFields ? [...responseFields] : null,
      retries: batch.retries,
      ...(batch.isFree && { is_free: true }),
      ...(madeBy !== undefined && { made_by: madeBy }),
      ...(acceptAll !== undefined && { accept_all: acceptAll }),
      url: batch.url,
      download_name: total > MOST_INLINE ? createDownloadName() : null,
    })
    .execute();
  const takeTurn = numberTurns();
  let first = 0;
  for await (const part of entries.parts()) {
    await nextTurn();
    await insertRows(db, id, first, part, takeTurn);
    first += part.length;
  }
}

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
  const domains = new CountedTexts();
  return (address) => {
    const domain = domains.add(splitAddress(address).domain.toLowerCase());
    return domains.countOf(domain) - 1;
  };
}

/**
 * The parts of a `with` that count results of batches.
 *
 * @param stored a part before them, with `batch_id`, and `reason` unless there is no result
 */
export const countStored = (stored: RawBuilder<unknown>) => sql`
  stored_results as (
    select account_id, mode, reason, count(*) as count from ${stored} as stored join batches on batches.id = batch_id
    where reason is not null and account_id is not null group by account_id, mode, reason
  ), ${countByDay('batch', sql`stored_results`)}`;

/** Stores results of open addresses, and counts them. Existing results stay. */
export async function storeResults(db: Db, id: string, results: readonly PlacedResult[]): Promise<void> {
  await sql`
    with stored as (
      update batch_rows set reason = new.reason, result = new.result
      from rows from (
        unnest(${results.map(({ place }) => place)}::integer[]),
        unnest(${results.map(({ result }) => result.reason)}::text[]),
        json_array_elements(${JSON.stringify(results.map(({ result }) => result))}::json)
      ) as new (place, reason, result)
      where batch_id = ${id} and batch_rows.place = new.place and batch_rows.reason is null
      returning batch_id, batch_rows.reason
    ), ${countStored(sql`stored`)}
    select
  `.execute(db);
}

const ownerOf = (db: Db, id: string) =>
  db
    .selectFrom('accounts')
    .innerJoin('batches', 'batches.account_id', 'accounts.id')
    .select('accounts.id')
    .where('batches.id', '=', id);

/**
 * Locks the account of a batch. Call this before a change of credits. A deletion also locks the account first.
 *
 * @returns the account's id, or undefined if the batch or the account was deleted
 */
export async function lockOwner(db: Db, id: string): Promise<string | undefined> {
  return (await ownerOf(db, id).forNoKeyUpdate('accounts').executeTakeFirst())?.id;
}

/**
 * The addresses that were given up because processes died over them. Only these are read. That is our own fault, so their credits are always
 * given back.
 *
 * @param counts the results by reason
 */
export async function countPoison(db: Db, id: string, { unexpected_error = 0 }: Tally): Promise<number> {
  if (unexpected_error === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from batch_rows
    where batch_id = ${id} and deaths >= ${sql.lit(MOST_DEATHS)} and reason = 'unexpected_error'
  `.execute(db);
  return rows[0]!.count;
}

/**
 * Prevents the deletion of a batch's account until the transaction ends. Call this before you lock the batch or its
 * callback and write the audit log.
 */
export async function holdOwner(db: Db, id: string): Promise<void> {
  await ownerOf(db, id).forKeyShare('accounts').execute();
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

/** Keeps the account's setting of how long results are kept, until the transaction ends. A completion reads it. */
export async function holdRetention(db: Db, accountId: string): Promise<void> {
  await db.selectFrom('accounts').select('id').where('id', '=', accountId).forShare().execute();
}

/** When the results of a batch that is completed now are deleted. */
const endOf = ({ downloadFile, inlineResults, testBatch }: Retention) => sql<Date>`
  clock_timestamp() + make_interval(secs => least(
    case when total > ${MOST_INLINE} then ${downloadFile}::integer else ${inlineResults}::integer end,
    case mode when 'test' then ${testBatch}::integer end,
    -- Locked, so that a change of the setting comes before or after, and in both cases counts for this batch.
    (select keep_results_seconds from accounts where accounts.id = batches.account_id for share)
  ))`;

/** The counts of the results so far. To count the rows of a large batch would take longer than a statement may. */
const REASON_COUNTS = sql<string>`(
  select coalesce(jsonb_object_agg(reason, count), '{}') from (
    select reason, sum(count) as count from batch_progress where batch_id = batches.id group by reason
  ) as counted
)`;

/** How many of them are risky because their domain accepts every address. */
const ACCEPT_ALL_RESULTS = sql<number>`(
  select coalesce(sum(accept_all_results), 0)::integer from batch_progress where batch_id = batches.id
)`;

/** What the completion of a batch sets. */
const completion = (retention: Retention) => ({
  completed_at: sql<Date>`clock_timestamp()`,
  expires_at: endOf(retention),
  reason_counts: REASON_COUNTS,
  accept_all_results: ACCEPT_ALL_RESULTS,
});

/**
 * Completes an open batch with the results so far. The caller has locked it, and has ended its claims, so no result is
 * being stored. If every address has one, the batch does not count as stopped.
 *
 * @returns whether it has a callback to send
 */
export async function completeEarly(db: Db, id: string, retention: Retention): Promise<boolean> {
  const { url } = await db
    .updateTable('batches')
    .set({
      ...completion(retention),
      paused_at: null,
      stopped_after: sql<number>`nullif((
        select coalesce(sum(count + duplicates), 0)::integer from batch_progress where batch_id = batches.id
      ), total)`,
    })
    .where('id', '=', id)
    .returning('url')
    .executeTakeFirstOrThrow();
  if (url === null) return false;
  await insertCallback(db, id);
  return true;
}

/** @returns undefined if this call has not completed it */
async function markCompleted(db: Db, id: string, retention: Retention) {
  return db
    .updateTable('batches')
    .set(completion(retention))
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

const newEnd = (seconds: number) => sql<Date>`completed_at + make_interval(secs => ${seconds}::integer)`;

/** Previews the effect of {@link shortenRetention}. */
export async function previewShortening(db: Db, accountId: string, seconds: number): Promise<Shortening> {
  const { rows } = await sql<Shortening>`
    select count(*) as shortened, count(*) filter (where new_end <= clock_timestamp()) as ended
    from batches, lateral (select ${newEnd(seconds)} as new_end) as shorter
    -- As in the index batches_kept.
    where account_id = ${accountId} and emptied_at is null and expires_at > statement_timestamp()
      and new_end < expires_at
  `.execute(db);
  return rows[0]!;
}

/** How many batches a statement shortens, while a page waits. Each is in ten indexes. */
const MOST_SHORTENED = 60;

/** Shortens the retention of the account's results. Call it in the transaction that has changed the account. */
export async function shortenRetention(
  db: Db,
  accountId: string,
  seconds: number,
  most = MOST_SHORTENED,
): Promise<Shortening> {
  const all = { shortened: 0, ended: 0 };
  // In the order of their ends, because the former versions of those before are still in the index.
  let after: string | null = '-infinity';
  while (after !== null) {
    const { rows }: { rows: (Shortening & { last: string | null })[] } = await sql<
      Shortening & { last: string | null }
    >`
      with chunk as materialized (
        select id, expires_at from batches
        where account_id = ${accountId} and emptied_at is null and expires_at > statement_timestamp()
          and expires_at >= ${after}::timestamptz and ${newEnd(seconds)} < expires_at
        order by expires_at limit ${most}
      ), shorter as (
        update batches set expires_at = ${newEnd(seconds)} from chunk
        where batches.id = chunk.id and ${newEnd(seconds)} < batches.expires_at
        returning batches.expires_at
      )
      select count(*) as shortened, count(*) filter (where expires_at <= clock_timestamp()) as ended,
        -- Null if there is nothing after it.
        (select expires_at::text from chunk order by expires_at offset ${most - 1}) as last
      from shorter
    `.execute(db);
    const [{ shortened, ended, last }] = rows as [(typeof rows)[number]];
    all.shortened += shortened;
    all.ended += ended;
    after = last;
  }
  return all;
}

/** The batch of this account, or undefined. `is_expired`: whether its results are no longer returned. */
export async function findBatch(db: Db, accountId: string, id: string) {
  return db
    .selectFrom('batches')
    .select(['id', 'account_id', 'total', 'distinct_total', 'response_fields', 'paused_at', 'completed_at'])
    .select(['reason_counts', 'stopped_after', 'download_name'])
    .select(sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('is_expired'))
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

/** An address that waits for its result. */
export interface OpenRow {
  readonly place: number;
  readonly address: string;
  /** Whether its batch asks for accept-all. Null for the config's value. */
  readonly accept_all: boolean | null;
}

/**
 * Locks open addresses until the transaction ends, unless the batch is paused. Skips those that another transaction has locked. The batch is held
 * too, so that whoever stops or deletes it counts their results.
 */
export async function lockOpenRows(db: Db, id: string, most: number): Promise<OpenRow[]> {
  const { rows } = await sql<OpenRow>`
    select place, address, accept_all from batch_rows, (
      select id, accept_all from batches where id = ${id} and paused_at is null and completed_at is null
      for key share skip locked
    ) as batch
    where batch_id = batch.id and reason is null
    order by place limit ${most} for update of batch_rows skip locked
  `.execute(db);
  return rows;
}

/**
 * Deletes addresses of the batch whose results expired first, and their list. The counts stay. Skips a batch that
 * another process is emptying.
 *
 * @returns whether there may be more to delete
 */
export async function forgetResults(db: Db, most = MOST_DELETED): Promise<boolean> {
  const { rows } = await sql<{ batches: number }>`
    with expired as materialized (
      select id from batches where emptied_at is null and expires_at <= statement_timestamp()
      order by expires_at limit 1 for no key update skip locked
    ), chunk as materialized (
      select batch_id, place from batch_rows where batch_id = (select id from expired) order by place limit ${most}
    ), gone as (
      delete from batch_rows using chunk
      where batch_rows.batch_id = chunk.batch_id and batch_rows.place = chunk.place
    ), progress as materialized (
      select ctid as place from batch_progress where batch_id = (select id from expired) limit ${most}
    ), gone_progress as (
      delete from batch_progress where ctid in (select place from progress)
    ), ${listDeletion(sql`select id from lists where batch_id = (select id from expired)`, most)}, last as materialized (
      -- As for the list, chunks that are not full are the last ones.
      select id from expired
      where (select count(*) from chunk) < ${most} and (select count(*) from list_chunk) < ${most}
        and (select count(*) from progress) < ${most}
    ), emptied as (update batches set emptied_at = clock_timestamp() where id = (select id from last))
    select count(*) as batches from expired
  `.execute(db);
  return rows[0]!.batches > 0;
}

/**
 * Deletes some progress of batches that were completed in the last ten minutes, a minute later, because a request may
 * still be reading it. What is older goes with the addresses.
 *
 * @returns whether there may be more
 */
export const forgetProgress = (db: Db): Promise<boolean> =>
  deleteSome(
    db,
    'batch_progress',
    // Begins with the few batches. The offset keeps the planner from beginning with the progress of all open ones.
    sql`ctid = any(array(
      select progress.place from batches cross join lateral (
        select ctid as place from batch_progress where batch_id = batches.id offset 0
      ) as progress
      where completed_at between statement_timestamp() - interval '10 minutes' and statement_timestamp() - interval '1 minute'
      limit ${MOST_DELETED}
    ))`,
  );

/** Deletes some deleted batches that have no addresses any more. @returns whether there may be more */
export const forgetDeleted = (db: Db): Promise<boolean> =>
  deleteSome(db, 'batches', sql`account_id is null and emptied_at is not null`);

/**
 * Deletes some batches of test keys whose addresses were deleted 30 days ago. Few, because the tries of their callbacks
 * go with them: some 80 at most.
 *
 * @returns whether there may be more
 */
export const forgetSamples = (db: Db): Promise<boolean> =>
  deleteSome(
    db,
    'batches',
    sql`mode = 'test' and emptied_at < statement_timestamp() - interval '30 days'`,
    50,
  );
