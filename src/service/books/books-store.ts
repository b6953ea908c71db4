/**
 * The SQL of the audit. It only reads.
 *
 * Each check of some accounts compares two figures that the service keeps equal. A chunk of accounts is read in one
 * snapshot, so that work that goes on meanwhile makes no difference.
 */
import { type RawBuilder, sql } from 'kysely';
import { reasonsIn } from '../../protocol/state-of-reason.ts';
import type { Db, Difference } from '../database/schema.ts';
import { provedResults } from '../usage/usage-store.ts';

/** Payments are given up after 24 hours, at their next try. */
const LONGEST_PAYMENT = sql`interval '25 hours'`;

const UNKNOWN = reasonsIn('unknown');

/** Runs with one snapshot of the database, or with that of the caller. */
export async function inSnapshot<Result>(db: Db, read: (snapshot: Db) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return read(db);
  return db.transaction().setIsolationLevel('repeatable read').execute(read);
}

/** An account, and how many rows an audit of it reads. */
export interface Weighed {
  readonly id: string;
  readonly rows: number;
  /** Its counts by day were not written with the results. */
  readonly is_unproved: boolean;
}

/** The next accounts in the order of their ids. */
export async function nextAccounts(db: Db, after: string, most: number): Promise<Weighed[]> {
  const { rows } = await sql<Weighed>`
    select id, ledger_rows + batch_rows as rows,
      coalesce(created_at < (select proves_since from book_audit), false) as is_unproved
    from accounts, lateral (
      select coalesce(sum(count), 0)::bigint as ledger_rows from ledger_days where account_id = accounts.id
    ) as of_ledger, lateral (
      select coalesce(sum(distinct_total), 0)::bigint as batch_rows from batches where account_id = accounts.id
    ) as of_batches
    where id > ${after} and deleted_at is null order by id limit ${most}
  `.execute(db);
  return rows;
}

/** Rows of the ledger of one account on one day, for one reason. */
export interface LedgerSum {
  readonly account_id: string;
  readonly day: string;
  readonly why: string;
  readonly amount: number;
  readonly count: number;
}

/** A part of the ledger of an account, after a row. `last` is undefined at the end. */
export async function sumLedger(
  db: Db,
  accountId: string,
  after: number,
  most: number,
): Promise<{ readonly sums: readonly LedgerSum[]; readonly last: number | undefined }> {
  const { rows } = await sql<LedgerSum & { last: number }>`
    select account_id, day, why, sum(amount)::bigint as amount, count(*) as count, max(id) as last from (
      select id, account_id, (at at time zone 'UTC')::date::text as day, why, amount from ledger
      where account_id = ${accountId} and id > ${after} order by id limit ${most}
    ) as part
    group by account_id, day, why
  `.execute(db);
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return { sums: rows, last: count < most ? undefined : Math.max(...rows.map(({ last }) => last)) };
}

/** The whole ledger of accounts. */
export const ledgerOf = (accountIds: readonly string[]) => sql`
  select account_id, (at at time zone 'UTC')::date as day, why, sum(amount)::bigint as amount, count(*) as count
  from ledger where account_id = any(${accountIds}::text[]) group by 1, 2, 3`;

/** The ledger of an account that was read in parts. */
export const ledgerInParts = (sums: readonly LedgerSum[]) => sql`
  select account_id, day, why, sum(amount)::bigint as amount, sum(count)::bigint as count
  from unnest(
    ${sums.map(({ account_id }) => account_id)}::text[], ${sums.map(({ day }) => day)}::date[],
    ${sums.map(({ why }) => why)}::text[], ${sums.map(({ amount }) => amount)}::bigint[],
    ${sums.map(({ count }) => count)}::bigint[]
  ) as part (account_id, day, why, amount, count) group by account_id, day, why`;

/**
 * The balance is the sum of the ledger and of its closed months, and the days have its count and amount. If a row is gone from the ledger, both
 * figures of its day differ, and the balance is right by the days.
 */
export async function compareLedger(
  db: Db,
  accountIds: readonly string[],
  ledger: RawBuilder<unknown>,
): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with ledger_sums as (${ledger}), both_sums as (
      select account_id, day, why,
        coalesce(days.count, 0) as days_count, coalesce(rows.count, 0) as rows_count,
        coalesce(days.amount, 0) as days_amount, coalesce(rows.amount, 0) as rows_amount
      from (select * from ledger_days where account_id = any(${accountIds}::text[])) as days
      full join ledger_sums as rows using (account_id, day, why)
    ), balances as (
      select id as account_id, available_credits as balance, closed_sum + coalesce(rows_sum, 0) as rows_sum,
        closed_sum + coalesce(days_sum, 0) as days_sum
      from accounts cross join lateral (
        select coalesce(sum(amount), 0)::bigint as closed_sum from ledger_months where account_id = accounts.id
      ) as closed left join (
        select account_id, sum(rows_amount)::bigint as rows_sum,
          sum(case when days_count = rows_count then rows_amount else days_amount end)::bigint as days_sum
        from both_sums group by account_id
      ) as sums on account_id = id
      where id = any(${accountIds}::text[])
    )
    select 'balance' as kind, account_id as account, to_json(rows_sum) as expected, to_json(balance) as got
    from balances where balance not in (rows_sum, days_sum)
    union all
    select kind, account_id, to_json(format('%s on %s for %s', expected, day, why)),
      to_json(format('%s on %s for %s', got, day, why))
    from both_sums, lateral (
      select 'ledger' as kind, days_amount as expected, rows_amount as got
      where days_count <> rows_count and days_amount <> rows_amount
      union all
      select 'day-count', rows_count, days_count where days_count <> rows_count and days_amount = rows_amount
      union all
      select 'day-amount', rows_amount, days_amount where days_count = rows_count and days_amount <> rows_amount
    ) as different
    order by account, kind
  `.execute(db);
  return rows;
}

/**
 * Each refund gives back what was charged: never without the charge, and at most as much. A completed batch gives back
 * the credits of addresses without a result, and those of all unknown results, or only of those that are our own fault.
 */
export async function compareRefunds(db: Db, accountIds: readonly string[]): Promise<Difference[]> {
  const { rows } = await sql<Difference & { batch: string | null }>`
    with refunds as (
      select account_id, why, of, sum(amount)::bigint as amount, max(at) as at from ledger
      where account_id = any(${accountIds}::text[]) and why in ('refund', 'batch-refund')
      group by account_id, why, of
    ), bounds as (
      -- The oldest charges may be closed before their refunds. Those of batches long before, because a batch may be paused
      -- for as long as the config says.
      select account_id, min(at) as at from ledger
      where account_id in (select account_id from ledger_months where account_id = any(${accountIds}::text[]))
      group by account_id
    ), compared as (
      select refunds.*, (
        select -sum(amount)::bigint from ledger
        where why = case refunds.why when 'refund' then 'verification' else 'batch' end
          and why in ('verification', 'refund', 'billing', 'batch')
          and of = refunds.of and of is not null and account_id = refunds.account_id
      ) as charged, (
        select array[distinct_total - results, distinct_total - results + own, distinct_total - results + unknown]
        from batches, lateral (
          select coalesce(sum(value::bigint), 0)::bigint as results,
            coalesce(sum(value::bigint) filter (where key = 'unexpected_error'), 0)::bigint as own,
            coalesce(sum(value::bigint) filter (where key = any(${UNKNOWN}::text[])), 0)::bigint as unknown
          from jsonb_each_text(reason_counts)
        ) as counted
        where refunds.why = 'batch-refund' and batches.id = refunds.of and account_id is not null
          and completed_at is not null
      ) as possible, coalesce(case refunds.why
        when 'refund' then refunds.at < bounds.at + interval '1 day'
        -- When a batch that is gone began is not known.
        else coalesce((select created_at from batches where batches.id = refunds.of), '-infinity') < bounds.at
      end, false) as is_closed
      from refunds left join bounds using (account_id)
    )
    select case when charged is null then 'refund' else 'refund-amount' end as kind, account_id as account,
      case why when 'batch-refund' then of end as batch,
      case
        when charged is null then to_json('the charge of ' || coalesce(of, 'nothing'))
        else to_json(coalesce(possible[3], charged))
      end as expected,
      case when charged is not null then to_json(amount) end as got
    from compared
    where amount > charged or (amount not between possible[1] and possible[2] and amount <> possible[3])
      or charged is null and not is_closed
    order by account, kind
  `.execute(db);
  return rows.map(withoutNulls);
}

/**
 * Payments end within a day, and the credits of each are in the ledger once. What is no longer there is in its closed
 * months, which have the oldest rows.
 */
export async function comparePayments(db: Db, accountIds: readonly string[]): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with credited as materialized (
      select account, id, credits, ended_at, (
        select amount from ledger where why = 'billing' and of = 'msg_' || payments.id and account_id = account
      ) as booked
      from payments where account = any(${accountIds}::text[]) and outcome = 'credited'
    ), missing as (
      select account, id, credits, sum(credits) over (partition by account order by ended_at, id) as with_older
      from credited where booked is null
    )
    select 'payment' as kind, account, id as payment, to_json('an end within a day'::text) as expected,
      to_json('open since ' || to_char(asked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as got
    from payments
    where account = any(${accountIds}::text[]) and ended_at is null
      and asked_at < clock_timestamp() - ${LONGEST_PAYMENT}
    union all
    select 'payment-credits', account, id, to_json(credits), to_json(booked) from credited where booked <> credits
    union all
    select 'payment-credits', account, id, to_json(credits), to_json(0) from missing
    where with_older > (
      select coalesce(sum(amount), 0) from ledger_months where account_id = account and why = 'billing'
    )
    order by account, payment
  `.execute(db);
  return rows;
}

/** Each completed batch with a URL has its callback. */
export async function compareCallbacks(db: Db, accountIds: readonly string[]): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    select 'callback' as kind, account_id as account, id as batch, 1 as expected, 0 as got from batches
    where account_id = any(${accountIds}::text[]) and completed_at is not null and url is not null
      and not exists (select from callbacks where batch_id = id)
    order by account, batch
  `.execute(db);
  return rows;
}

/** What an account stores is what its batches store. */
export async function compareStorage(db: Db, accountIds: readonly string[]): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with stored as (
      select account_id, mode, coalesce(sum(stored_entries) filter (where emptied_at is null), 0)::bigint as entries,
        count(*) filter (where completed_at is null) as open_batches
      from batches where account_id = any(${accountIds}::text[]) and stored_entries > 0 group by 1, 2
    ), compared as (
      select account_id, mode, coalesce(stored.entries, 0) as entries, coalesce(kept.entries, 0) as kept_entries,
        coalesce(stored.open_batches, 0) as open_batches, coalesce(kept.open_batches, 0) as kept_open_batches
      from stored full join (
        select * from batch_storage where account_id = any(${accountIds}::text[])
      ) as kept using (account_id, mode)
    )
    select 'stored-entries' as kind, account_id as account, entries as expected, kept_entries as got
    from compared where entries <> kept_entries
    union all
    select 'open-batches', account_id, open_batches, kept_open_batches
    from compared where open_batches <> kept_open_batches
    order by account, kind
  `.execute(db);
  return rows;
}

/** The addresses of batches by their reason, which is null without a result. */
export interface RowSum {
  readonly batch_id: string;
  readonly reason: string | null;
  readonly count: number;
  readonly duplicates: number;
}

/** Batches of more addresses than this, whose addresses are still there. */
export async function largeBatches(db: Db, accountIds: readonly string[], most: number) {
  return db
    .selectFrom('batches')
    .select(['id', 'distinct_total'])
    .where('account_id', 'in', accountIds)
    .where('distinct_total', '>', most)
    .where('emptied_at', 'is', null)
    .execute();
}

/** The addresses between two places of a batch. */
export async function sumRows(db: Db, batchId: string, from: number, until: number): Promise<RowSum[]> {
  const { rows } = await sql<RowSum>`
    select batch_id, reason, count(*) as count, sum(duplicates)::bigint as duplicates from batch_rows
    where batch_id = ${batchId} and place >= ${from} and place < ${until} group by batch_id, reason
  `.execute(db);
  return rows;
}

/**
 * The counts of a batch are those of its addresses. While the addresses of an expired batch are deleted, only the counts
 * are compared.
 *
 * @param large the addresses of the batches that are read in parts
 */
export async function compareBatches(
  db: Db,
  accountIds: readonly string[],
  large: readonly RowSum[],
): Promise<Difference[]> {
  const { rows } = await sql<Difference>`
    with sums as materialized (
      select batch_id, reason, count(*) as count, sum(duplicates)::bigint as duplicates
      from batches join batch_rows on batch_id = id
      where account_id = any(${accountIds}::text[]) and emptied_at is null
        and id <> all(${large.map(({ batch_id }) => batch_id)}::text[])
      group by batch_id, reason
      union all
      select batch_id, reason, sum(count)::bigint, sum(duplicates)::bigint from unnest(
        ${large.map(({ batch_id }) => batch_id)}::text[], ${large.map(({ reason }) => reason)}::text[],
        ${large.map(({ count }) => count)}::bigint[], ${large.map(({ duplicates }) => duplicates)}::bigint[]
      ) as part (batch_id, reason, count, duplicates) group by batch_id, reason
    ), figures as (
      select id, account_id, total, distinct_total, completed_at is not null as is_completed,
        stopped_after is not null as is_stopped,
        -- By the clock after the snapshot: a deletion that it shows began before.
        emptied_at is null and (expires_at is null or expires_at > clock_timestamp()) as has_rows,
        (select coalesce(sum(count), 0)::bigint from sums where batch_id = id) as row_count,
        (select coalesce(sum(count + duplicates), 0)::bigint from sums where batch_id = id) as row_total,
        (
          select coalesce(jsonb_object_agg(reason, count), '{}') from sums where batch_id = id and reason is not null
        ) as of_rows,
        case when completed_at is not null then reason_counts else (
          select coalesce(jsonb_object_agg(reason, count), '{}') from (
            select reason, sum(count)::bigint as count from batch_progress where batch_id = id group by reason
          ) as progress
        ) end as counts
      from batches where account_id = any(${accountIds}::text[])
    ), counted as (
      select *, (select coalesce(sum(value::bigint), 0)::bigint from jsonb_each_text(counts)) as counts_sum from figures
    )
    select kind, account_id as account, id as batch, expected, got from counted, lateral (
      select 'batch-rows' as kind, to_json(distinct_total) as expected, to_json(row_count) as got
      where has_rows and row_count <> distinct_total
      union all
      select 'batch-total', to_json(row_total), to_json(total)
      where has_rows and row_count = distinct_total and row_total <> total
      union all
      select case when is_completed then 'reason-counts' else 'progress' end, to_json(of_rows::text), to_json(counts::text)
      where has_rows and row_count = distinct_total and of_rows <> counts
      union all
      select 'reason-counts', to_json(distinct_total), to_json(counts_sum)
      where is_completed and not is_stopped and not (has_rows and row_count = distinct_total)
        and counts_sum <> distinct_total
    ) as different
    order by account, batch, kind
  `.execute(db);
  return rows;
}

/** The counts by day are those of the results. */
export async function compareResults(db: Db, accountIds: readonly string[]): Promise<Difference[]> {
  const { rows } = await sql<Difference & { source: string; mode: string }>`
    select 'daily-results' as kind, account_id as account, source, mode, proved as expected, days as got
    from (${provedResults(accountIds)}) as results where days <> proved
    order by account, source, mode
  `.execute(db);
  return rows.map(({ source, mode, kind, account, expected, got }) => ({
    ...{ kind: `${kind}`, account },
    ...{ expected: `${expected} for ${source} ${mode}`, got: `${got} for ${source} ${mode}` },
  }));
}

function withoutNulls({ batch, ...difference }: Difference & { batch?: string | null }): Difference {
  return batch == null ? difference : { ...difference, batch };
}
