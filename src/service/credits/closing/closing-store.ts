/**
 * The SQL that closes old rows of the ledger. Their sums stay, by account, month and kind, so an account's credits are
 * always its closed sums and its rows together.
 *
 * `ledger_once` forgets what is closed. Nothing books it again: a verification is refunded with its row, which lives for
 * minutes, and a batch is charged where its row is made and refunded where it ends.
 */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** How many rows a statement closes. Each may be the only one of its account, so it changes several rows for it. */
const MOST_CLOSED = 500;

/** Closing changes the sums of days and months, so one process does it at a time. The number is arbitrary. */
const CLOSING_LOCK = 7_412_002;

/**
 * Closes some of the oldest rows: those of days in UTC that ended so many seconds ago. Ids grow with the time, so their
 * index finds the rows, and the last row of a day is closed last. The rows, the sums of their days and those of their
 * months change in one statement.
 *
 * @returns whether there may be more to close
 */
export async function closeLedger(db: Db, seconds: number, most = MOST_CLOSED): Promise<boolean> {
  const { rows } = await sql<{ closed: number }>`
    with turn as materialized (
      select pg_try_advisory_xact_lock(${CLOSING_LOCK}) as is_mine,
        date_trunc('day', clock_timestamp() at time zone 'UTC' - make_interval(secs => ${seconds})) at time zone 'UTC'
          as bound
    ), oldest as materialized (select id, at from ledger order by id limit ${most}), closed as (
      delete from ledger using oldest, turn
      where ledger.id = oldest.id and oldest.at < bound and is_mine
      returning account_id, (ledger.at at time zone 'UTC')::date as day, why, amount
    ), sums as (
      select account_id, day, why, sum(amount)::bigint as amount, count(*) as count from closed group by 1, 2, 3
    ), ended as (
      delete from ledger_days as days using sums
      where days.account_id = sums.account_id and days.day = sums.day and days.why = sums.why
        and days.count <= sums.count
    ), shortened as (
      update ledger_days as days set amount = days.amount - sums.amount, count = days.count - sums.count
      from sums
      where days.account_id = sums.account_id and days.day = sums.day and days.why = sums.why
        and days.count > sums.count
    ), kept as (
      insert into ledger_months as months (account_id, month, why, amount, count)
      select account_id, date_trunc('month', day)::date, why, sum(amount)::bigint, sum(count)::bigint
      from sums group by 1, 2, 3
      on conflict (account_id, month, why) do update set
        amount = months.amount + excluded.amount, count = months.count + excluded.count
    )
    select count(*) as closed from closed
  `.execute(db);
  return rows[0]!.closed >= most;
}
