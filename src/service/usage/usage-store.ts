/**
 * All SQL of usage: results by day, and refusals of keys.
 *
 * Refusals of deleted keys are left out. A key that is being deleted is locked, so the statement skips it, which prevents
 * deadlocks. All processes write in the same order.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Reason } from '../../protocol/result.ts';
import { deleteSome, MOST_DELETED, withIndex } from '../database/delete-some.ts';
import type { Db, Mode } from '../database/schema.ts';
import { MOST_PLACES, type Refused } from './refusal-counter.ts';

export type Source = 'verify' | 'batch';

const TODAY = sql`(statement_timestamp() at time zone 'UTC')::date`;

/**
 * The part of a `with` that counts results by day, in the statement that stores them.
 *
 * All statements that count lock these rows in the order of their key, and last, so that they wait for each other without
 * deadlocks.
 *
 * @param stored a part before it, with `account_id`, `mode`, `reason` and `count`
 */
export const countByDay = (source: Source, stored: RawBuilder<unknown>) => sql`
  counted_by_day as (
    insert into daily_results as days (account_id, day, source, mode, reason, count)
    select account_id, ${TODAY}, ${source}, mode, reason, sum(count) from ${stored} as stored
    group by account_id, mode, reason order by account_id, mode, reason
    on conflict (account_id, day, source, mode, reason) do update set count = days.count + excluded.count
  )`;

/** A result that a test key got. */
export type SampleResult = { readonly accountId: string; readonly reason: Reason };

/** Counts results of test keys. Nothing else of them is stored. */
export async function addSamples(db: Db, samples: readonly SampleResult[]): Promise<void> {
  await sql`
    select count_samples(${samples.map(({ accountId }) => accountId)}, ${samples.map(({ reason }) => reason)})
  `.execute(db);
}

/** @param counts a query with `account_id`, `source`, `mode` and `count` */
const addUnproved = (counts: RawBuilder<unknown>) => sql`
  insert into unproved_results as known (account_id, source, mode, count)
  select account_id, source, mode, count from (${counts}) as added order by account_id, source, mode
  on conflict (account_id, source, mode) do update set count = known.count + excluded.count`;

/** Adds refusals, and keeps only the latest of each key. */
export async function addRefusals(db: Db, refusals: readonly Refused[], now: number): Promise<void> {
  const ids = refusals.map(({ keyId }) => keyId);
  await sql`
    with known as materialized (
      select id from keys where id = any(${ids}::text[]) order by id for key share skip locked
    )
    insert into key_refusals as refusals (key_id, reason, seen_from, count, first_at, last_at)
    select key_id, reason, seen_from, count,
      statement_timestamp() - first_age * interval '1 ms', statement_timestamp() - last_age * interval '1 ms'
    from unnest(
      ${ids}::text[],
      ${refusals.map(({ reason }) => reason)}::text[],
      ${refusals.map(({ seenFrom }) => seenFrom)}::text[],
      ${refusals.map(({ count }) => count)}::bigint[],
      ${refusals.map(({ first }) => now - first)}::float8[],
      ${refusals.map(({ last }) => now - last)}::float8[]
    ) as added (key_id, reason, seen_from, count, first_age, last_age) join known on known.id = key_id
    order by key_id, reason, seen_from
    on conflict (key_id, reason, seen_from) do update set
      count = refusals.count + excluded.count,
      first_at = least(refusals.first_at, excluded.first_at),
      last_at = greatest(refusals.last_at, excluded.last_at)
  `.execute(db);
  await sql`
    with old as materialized (
      select key_id, reason, seen_from from key_refusals join (
        select key_id, reason, seen_from, row_number() over (
          partition by key_id order by last_at desc, reason, seen_from
        ) as rank
        from key_refusals where key_id = any(${ids}::text[])
      ) as ranked using (key_id, reason, seen_from)
      where rank > ${MOST_PLACES}
      for update of key_refusals skip locked
    )
    delete from key_refusals using old
    where key_refusals.key_id = old.key_id and key_refusals.reason = old.reason
      and key_refusals.seen_from = old.seen_from
  `.execute(db);
}

/** Deletes some refusals older than a month. @returns whether there may be more */
export const forgetRefusals = (db: Db): Promise<boolean> =>
  deleteSome(db, 'key_refusals', sql`last_at < statement_timestamp() - interval '30 days'`);

/**
 * Deletes some results by day older than 400 days, so that a year can be compared with the previous one.
 *
 * @returns whether there may be more
 */
export async function forgetDailyResults(db: Db): Promise<boolean> {
  const { rows } = await withIndex(db, (transaction) =>
    sql<{ count: number }>`
    with gone as (
      delete from daily_results where ctid = any(array(
        select ctid from daily_results where day < ${TODAY} - 400
        limit ${MOST_DELETED} for update skip locked
      ))
      returning account_id, source, mode, count, refunded
    ), added as (
      ${addUnproved(sql`select account_id, source, mode, -sum(count - refunded) as count from gone group by 1, 2, 3`)}
    )
    select count(*) as count from gone
  `.execute(transaction),
  );
  return rows[0]!.count >= MOST_DELETED;
}

/** Deletes some results by day of an account. @returns whether there may be more */
export const forgetDailyResultsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'daily_results', sql`account_id = ${accountId}`);

/** Deletes some refusals of an account's keys. @returns whether there may be more */
export const forgetRefusalsOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'key_refusals', sql`key_id in (select id from keys where account_id = ${accountId})`);

/**
 * Each group of results of these accounts that is counted by day: what the days say, and what the batches, the ledger
 * and `unproved_results` say.
 *
 * A verification is charged when it begins, and given back unless it ends with a result that costs a credit.
 */
export const provedResults = (accountIds: readonly string[]) => sql`
  select account_id, source, mode, sum(days)::bigint as days, sum(proved)::bigint as proved from (
    select account_id, source, mode, count - refunded as days, 0 as proved
    from daily_results where account_id = any(${accountIds}::text[])
    union all
    select account_id, 'verify', 'live', 0, case why when 'verification' then count else -count end
    from (
      select account_id, why, count from ledger_days where account_id = any(${accountIds}::text[])
      union all
      select account_id, why, count from ledger_months where account_id = any(${accountIds}::text[])
    ) as ledger_sums
    where why in ('verification', 'refund')
    union all
    select account_id, 'verify', 'live', 0, -1
    from verifications where account_id = any(${accountIds}::text[]) and state = 'running'
    union all
    select account_id, 'batch', mode, 0, case
      when completed_at is null
      then (select coalesce(sum(count), 0) from batch_progress where batch_id = batches.id)
      when stopped_after is not null
      then (select coalesce(sum(value::bigint), 0) from jsonb_each_text(reason_counts))
      else distinct_total
    end
    from batches where account_id = any(${accountIds}::text[])
    union all
    select account_id, source, mode, 0, count
    from unproved_results where account_id = any(${accountIds}::text[])
  ) as figures
  group by account_id, source, mode`;

/**
 * Takes the counts by day of these accounts over as they are, because they were not written with the results. Later
 * changes of both sides stay equal.
 */
export async function takeOverCounts(db: Db, accountIds: readonly string[]): Promise<void> {
  await sql`
    with proved as (${provedResults(accountIds)})
    ${addUnproved(sql`select account_id, source, mode, days - proved as count from proved where days <> proved`)}
  `.execute(db);
}

/**
 * Deletes the counts of accounts that do not exist, between two ids. A result that is stored while its account is deleted
 * leaves them.
 *
 * @param until the last one. Undefined for no end
 */
export async function forgetOrphans(db: Db, after: string, until: string | undefined): Promise<void> {
  for (const table of ['daily_results', 'unproved_results'] as const) {
    await sql`
      delete from ${sql.table(table)} where account_id > ${after} and (${until ?? null}::text is null or account_id <= ${until ?? null})
        and not exists (select from accounts where id = account_id)
    `.execute(db);
  }
}

/** The results of one reason on one day. */
export interface DailyCount {
  /** In UTC, as `2026-11-23`. */
  readonly day: string;
  readonly reason: Reason;
  readonly count: number;
}

/**
 * The results of an account by day and reason, oldest day first.
 *
 * @param days how many, with today
 */
export async function readDailyCounts(
  db: Db,
  accountId: string,
  { mode, days }: { readonly mode: Mode; readonly days: number },
): Promise<DailyCount[]> {
  const { rows } = await sql<DailyCount>`
    select day::text as day, reason, sum(count)::bigint as count from daily_results
    where account_id = ${accountId} and mode = ${mode}
      and day > (clock_timestamp() at time zone 'UTC')::date - ${days}::integer
    group by day, reason order by day, reason
  `.execute(db);
  return rows;
}

/** The sources of all results so far. */
export async function readSources(db: Db, accountId: string): Promise<Source[]> {
  const { rows } = await sql<{ source: Source }>`
    select source from (values ('verify'), ('batch')) as known (source)
    where exists (
      select from daily_results where account_id = ${accountId} and daily_results.source = known.source limit 1
    )
  `.execute(db);
  return rows.map(({ source }) => source);
}

/** The latest refusals of the account's active keys, within `days` days. */
export async function readRefusals(
  db: Db,
  accountId: string,
  { days, limit }: { readonly days: number; readonly limit: number },
) {
  return db
    .selectFrom('key_refusals')
    .innerJoin('keys', 'keys.id', 'key_refusals.key_id')
    .innerJoin('key_values', 'key_values.key_id', 'keys.id')
    .select(['key_refusals.key_id', 'keys.name as key_name', 'key_values.last4'])
    .select(['reason', 'seen_from', 'count', 'last_at'])
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where('key_values.expires_at', 'is', null)
    .where('last_at', '>', sql<Date>`clock_timestamp() - make_interval(days => ${days}::integer)`)
    .orderBy('last_at', 'desc')
    .limit(limit)
    .execute();
}
