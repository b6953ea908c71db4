/**
 * All SQL of usage: results by day, and refusals of keys.
 *
 * Counts of deleted accounts and keys are left out. An account or key that is being deleted is locked, so the
 * statements skip it, which prevents deadlocks. All processes write in the same order.
 */
import { sql } from 'kysely';
import type { Reason } from '../../protocol/result.ts';
import type { Db } from '../database/schema.ts';
import { MOST_PLACES, type RefusalKind, type Refused } from './refusal-counter.ts';
import type { CountedResults, Mode, Source } from './usage-counter.ts';

/** @param now by the clock of the counter */
export async function addResults(db: Db, results: readonly CountedResults[], now: number): Promise<void> {
  await sql`
    with known as materialized (
      select id from accounts where id = any(${results.map(({ accountId }) => accountId)}::text[])
      order by id for key share skip locked
    )
    insert into daily_results as days (account_id, day, source, mode, reason, count)
    select account_id, ((statement_timestamp() - age * interval '1 ms') at time zone 'UTC')::date as day,
      source, mode, reason, sum(count)
    from unnest(
      ${results.map(({ accountId }) => accountId)}::text[],
      ${results.map(({ source }) => source)}::text[],
      ${results.map(({ mode }) => mode)}::text[],
      ${results.map(({ reason }) => reason)}::text[],
      ${results.map(({ count }) => count)}::bigint[],
      ${results.map(({ since }) => now - since)}::float8[]
    ) as added (account_id, source, mode, reason, count, age) join known on known.id = account_id
    group by account_id, day, source, mode, reason
    order by account_id, day, source, mode, reason
    on conflict (account_id, day, source, mode, reason) do update set count = days.count + excluded.count
  `.execute(db);
}

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
    delete from key_refusals using (
      select key_id, reason, seen_from from key_refusals join (
        select key_id, reason, seen_from, row_number() over (
          partition by key_id order by last_at desc, reason, seen_from
        ) as rank
        from key_refusals where key_id = any(${ids}::text[])
      ) as ranked using (key_id, reason, seen_from)
      where rank > ${MOST_PLACES}
      for update of key_refusals skip locked
    ) as old
    where key_refusals.key_id = old.key_id and key_refusals.reason = old.reason
      and key_refusals.seen_from = old.seen_from
  `.execute(db);
}

/** Deletes refusals older than a month. */
export async function forgetRefusals(db: Db): Promise<void> {
  await db
    .deleteFrom('key_refusals')
    .where('last_at', '<', sql<Date>`clock_timestamp() - interval '30 days'`)
    .execute();
}

/** Deletes results by day older than 400 days, so that a year can be compared with the previous one. */
export async function forgetDailyResults(db: Db): Promise<void> {
  // By account, so that the primary key finds them.
  await sql`
    delete from daily_results using accounts
    where account_id = accounts.id and day < (clock_timestamp() at time zone 'UTC')::date - 400
  `.execute(db);
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

/** Refusals of a key, as its owner sees them. */
export interface KeyRefusal {
  readonly key_id: string;
  readonly key_name: string | null;
  readonly last4: string;
  readonly reason: RefusalKind;
  readonly seen_from: string;
  readonly count: number;
  readonly last_at: Date;
}

/** The latest refusals of the account's active keys, within `days` days. */
export async function readRefusals(
  db: Db,
  accountId: string,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<KeyRefusal[]> {
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
