/**
 * All SQL that reads the ledger for its owner. Days are in UTC. Of rows that were closed (`closing/`), it has the sums of
 * their months.
 */
import { sql } from 'kysely';
import type { Db, LedgerReason } from '../../database/schema.ts';

/** The sum of the changes of one kind on one day. */
export interface DaySum {
  /** As `2026-11-23`. */
  readonly day: string;
  readonly why: LedgerReason;
  readonly amount: number;
  readonly count: number;
}

export interface Credits {
  readonly available: number;
  readonly createdAt: Date;
  /** The current day by the database's clock. */
  readonly today: string;
  /** The oldest first. */
  readonly sums: readonly DaySum[];
  /** Whether there was ever a change. */
  readonly isUsed: boolean;
}

/**
 * The credits of an account, and the sums by day, all from one moment.
 *
 * @param days how many, with today @returns undefined if the account does not exist
 */
export async function readCredits(db: Db, accountId: string, days: number): Promise<Credits | undefined> {
  const { rows } = await sql<Omit<Credits, 'createdAt'> & { created_at: Date }>`
    select available_credits as available, created_at, today::text as today,
      exists (select from ledger_days where account_id = accounts.id)
        or exists (select from ledger_months where account_id = accounts.id) as "isUsed", (
      select coalesce(
        json_agg(json_build_object('day', day, 'why', why, 'amount', amount, 'count', count) order by day, why), '[]'
      )
      from ledger_days where account_id = accounts.id and day > today - ${days}::integer
    ) as sums
    from accounts, (select (clock_timestamp() at time zone 'UTC')::date as today) as clock
    where id = ${accountId}
  `.execute(db);
  const [found] = rows;
  return found && { ...found, createdAt: found.created_at };
}

/** Selects changes. Without fields, all of them. */
export interface Selection {
  /** As `2026-11`. */
  readonly month?: string | undefined;
  /** As `2026-11-23`. */
  readonly day?: string | undefined;
  readonly why?: LedgerReason | undefined;
}

/** The sums of a day, and the credits at its end. */
export interface LedgerDay {
  readonly day: string;
  /** The kinds that there were. */
  readonly sums: readonly Omit<DaySum, 'day'>[];
  readonly balance: number;
}

/**
 * The days with changes, latest first.
 *
 * @param before only days before this one
 */
export async function readDays(
  db: Db,
  accountId: string,
  { month, why }: Selection,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<LedgerDay[]> {
  const { rows } = await sql<LedgerDay>`
    select chosen.day::text as day, sums, balance from (
      select day, json_agg(json_build_object('why', why, 'amount', amount, 'count', count) order by why) as sums
      from ledger_days
      where account_id = ${accountId} and (${why ?? null}::text is null or why = ${why ?? null})
        and ${monthOfDay(month)} and (${before ?? null}::date is null or day < ${before ?? null}::date)
      group by day order by day desc limit ${limit}
    ) as chosen, lateral (
      -- The last row of the day, of whatever kind.
      select balance from ledger where id = (
        select max(last_id) from ledger_days where account_id = ${accountId} and day = chosen.day
      )
    ) as ending
    order by chosen.day desc
  `.execute(db);
  return rows;
}

const monthOfDay = (month: string | undefined) =>
  month === undefined
    ? sql`true`
    : sql`day >= ${`${month}-01`}::date and day < ${`${month}-01`}::date + interval '1 month'`;

/** The sums of a month. */
export interface LedgerMonth {
  /** As `2026-11`. */
  readonly month: string;
  readonly added: number;
  readonly spent: number;
  readonly given_back: number;
}

/** All months with changes, latest first. */
export async function readMonths(db: Db, accountId: string): Promise<LedgerMonth[]> {
  const { rows } = await sql<LedgerMonth>`
    select to_char(day, 'YYYY-MM') as month,
      coalesce(sum(amount) filter (where why in ('top-up', 'billing')), 0)::bigint as added,
      coalesce(sum(amount) filter (where why in ('verification', 'batch')), 0)::bigint as spent,
      coalesce(sum(amount) filter (where why in ('refund', 'batch-refund')), 0)::bigint as given_back
    from ${sumsOf(accountId)} group by month order by month desc
  `.execute(db);
  return rows;
}

/** The sums of days, and of the closed part of months, whose day is the first one of the month. */
const sumsOf = (accountId: string) => sql`(
  select day, why, amount, count, false as is_closed from ledger_days where account_id = ${accountId}
  union all
  select month, why, amount, count, true from ledger_months where account_id = ${accountId}
) as sums`;

/** The closed part of a month. */
export interface ClosedSum {
  /** As `2025-11`. */
  readonly month: string;
  readonly why: LedgerReason;
  readonly amount: number;
  readonly count: number;
}

/** The closed sums of the selected months, latest first. */
export async function readClosed(
  db: Db,
  accountId: string,
  { month, day, why }: Selection,
): Promise<ClosedSum[]> {
  if (day !== undefined) return [];
  const { rows } = await sql<ClosedSum>`
    select to_char(day, 'YYYY-MM') as month, why, amount, count from ${sumsOf(accountId)}
    where is_closed and ${monthOfDay(month)} and (${why ?? null}::text is null or why = ${why ?? null})
    order by day desc, why
  `.execute(db);
  return rows;
}

/** The number and sum of the selected changes. */
export async function readTotal(
  db: Db,
  accountId: string,
  { month, day, why }: Selection,
): Promise<{ readonly amount: number; readonly count: number }> {
  const { rows } = await sql<{ amount: number; count: number }>`
    select coalesce(sum(amount), 0)::bigint as amount, coalesce(sum(count), 0)::bigint as count
    from ${sumsOf(accountId)}
    where (${why ?? null}::text is null or why = ${why ?? null})
      and ${monthOfDay(month)} and (${day ?? null}::date is null or not is_closed and day = ${day ?? null}::date)
  `.execute(db);
  return rows[0]!;
}

/** The kinds of the index `ledger_rare`. */
const RARE: readonly LedgerReason[] = ['top-up', 'billing', 'batch', 'batch-refund'];

/** Spelled as in the index, so that PostgreSQL can use it. */
const ofKind = (why: LedgerReason | undefined) => {
  if (why === undefined) return sql`true`;
  return RARE.includes(why)
    ? sql`why = ${why} and why in ('top-up', 'billing', 'batch', 'batch-refund')`
    : sql`why = ${why}`;
};

/** A change of credits with the batch that it belongs to. */
export interface LedgerRow {
  readonly id: number;
  readonly at: Date;
  readonly amount: number;
  readonly why: LedgerReason;
  /** The id of a verification or a batch, or an operator's note. */
  readonly of: string | null;
  readonly balance: number;
  /** Whether the batch still exists. */
  readonly has_batch: boolean;
  readonly batch_name: string | null;
}

/**
 * Single changes, latest first.
 *
 * `ledger_days` says on which days there were changes of the kind, and between which rows, so that a rare kind is found
 * without reading the others. The latest days are looked at that have enough changes together, and each other one that
 * goes on beyond their first row. If a clock was set back, a row of another day may lie between those of a day.
 *
 * @param before the id of a row. Only older rows are returned
 */
export async function readRows(
  db: Db,
  accountId: string,
  { month, day, why }: Selection,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    with days as materialized (
      select day, min(first_id) as first_id, max(last_id) as last_id, sum(count) as count from ledger_days
      where account_id = ${accountId} and (${why ?? null}::text is null or why = ${why ?? null})
        and ${monthOfDay(month)} and (${day ?? null}::date is null or day = ${day ?? null}::date)
        and (${before ?? null}::bigint is null or first_id < ${before ?? null}::bigint)
      group by day
    ), latest as (
      select min(first_id) as first_id from (
        -- Of a day that goes on beyond the limit, it is unknown how many changes are older.
        select first_id, sum(case when last_id >= ${before ?? null}::bigint then 0 else count end) over (
          order by last_id desc rows between unbounded preceding and 1 preceding
        ) as later from days
      ) as counted where coalesce(later, 0) < ${limit}
    )
    select ledger.id, at, amount, why, "of", balance, batches.id is not null as has_batch, batches.name as batch_name
    from (
      select of_day.* from (
        select * from days where last_id >= (select first_id from latest) offset 0
      ) as days, lateral (
        select * from ledger
        where account_id = ${accountId} and id between first_id and last_id
          and (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
          and ${ofKind(why)} and (at at time zone 'UTC')::date = days.day
        -- As in the index ledger_of_account. Otherwise the planner may go through the rows of all accounts.
        order by account_id, id desc limit ${limit}
      ) as of_day
      order by id desc limit ${limit}
    ) as ledger
    left join batches on why in ('batch', 'batch-refund') and batches.id = "of" and batches.account_id = ${accountId}
    order by ledger.id desc
  `.execute(db);
  return rows;
}
