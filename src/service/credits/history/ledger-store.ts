/** All SQL that reads the ledger for its owner. Days are in UTC. */
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
}

/**
 * The credits of an account, and the sums by day, all from one moment.
 *
 * @param days how many, with today @returns undefined if the account does not exist
 */
export async function readCredits(db: Db, accountId: string, days: number): Promise<Credits | undefined> {
  const { rows } = await sql<{ available: number; created_at: Date; today: string; sums: DaySum[] }>`
    select available_credits as available, created_at, today::text as today, (
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
    from ledger_days where account_id = ${accountId} group by month order by month desc
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
    from ledger_days
    where account_id = ${accountId} and (${why ?? null}::text is null or why = ${why ?? null})
      and ${monthOfDay(month)} and (${day ?? null}::date is null or day = ${day ?? null}::date)
  `.execute(db);
  return rows[0]!;
}

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
 * @param before the id of a row. Only older rows are returned
 */
export async function readRows(
  db: Db,
  accountId: string,
  { month, day, why }: Selection,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<LedgerRow[]> {
  const daysMeant = sql`(
    select first_id, last_id from ledger_days
    where account_id = ${accountId} and (${why ?? null}::text is null or why = ${why ?? null})
      and ${monthOfDay(month)} and (${day ?? null}::date is null or day = ${day ?? null}::date)
  ) as days`;
  // The ids limit the search. Without them, the search for an old day would start at today.
  const { rows } = await sql<LedgerRow>`
    select ledger.id, at, amount, why, "of", balance, batches.id is not null as has_batch, batches.name as batch_name
    from (
      select * from ledger
      where account_id = ${accountId}
        and id >= (select min(first_id) from ${daysMeant}) and id <= (select max(last_id) from ${daysMeant})
        and (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
        and (${why ?? null}::text is null or why = ${why ?? null})
        and ${dayOfRow(month, day)}
      -- As in the index ledger_of_account. Otherwise the planner may go through the rows of all accounts.
      order by account_id, id desc limit ${limit}
    ) as ledger
    left join batches on why in ('batch', 'batch-refund') and batches.id = "of" and batches.account_id = ${accountId}
    order by ledger.id desc
  `.execute(db);
  return rows;
}

/** If a clock was set back, the id range of a day may include rows of another day. */
function dayOfRow(month: string | undefined, day: string | undefined) {
  if (day !== undefined) return sql`(at at time zone 'UTC')::date = ${day}::date`;
  if (month === undefined) return sql`true`;
  return sql`at >= ${`${month}-01`}::timestamp at time zone 'UTC'
    and at < (${`${month}-01`}::timestamp + interval '1 month') at time zone 'UTC'`;
}
