import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { closeLedger } from '../../../../src/service/credits/closing/closing-store.ts';
import { changeCredits, readLedger } from '../../../../src/service/credits/credit-store.ts';
import {
  readClosed,
  readDays,
  readMonths,
  readRows,
  readTotal,
} from '../../../../src/service/credits/history/ledger-store.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';

const { db, connect } = await testDatabase();
const DAY_S = 86_400;
const YEAR_S = 400 * DAY_S;

emptyBeforeEach(db, 'accounts');

/** Books changes, and moves them so many days into the past, from their day's noon on. */
async function book(accountId: string, days: number, amounts: readonly number[]): Promise<string> {
  const { rows } = await sql<{ at: Date; day: string }>`
    select day + interval '12 hours' as at, day::date::text as day
    from date_trunc('day', clock_timestamp() at time zone 'UTC' - make_interval(days => ${days})) as day
  `.execute(db);
  const { at, day } = rows[0]!;
  for (const [index, amount] of amounts.entries()) {
    const why = amount < 0 ? 'verification' : 'top-up';
    await changeCredits(db, accountId, { amount, why, ...(amount < 0 && { of: `${day} ${index}` }) });
  }
  const moved = amounts.length;
  await sql`
    with moved as (
      delete from ledger where id in (
        select id from ledger where account_id = ${accountId} order by id desc limit ${moved}
      ) returning *
    ), unsummed as (
      delete from ledger_days where account_id = ${accountId} and day = (clock_timestamp() at time zone 'UTC')::date
    )
    insert into ledger (account_id, amount, why, "of", balance, at)
    select account_id, amount, why, "of", balance, ${at}::timestamp at time zone 'UTC' from moved order by moved.id
  `.execute(db);
  return day;
}

const close = async (process = db, most?: number) => {
  while (await closeLedger(process, YEAR_S, most));
};

it('keeps the balance, and the sums of each month and kind', async () => {
  const accountId = await makeAccount(db);
  const other = await makeAccount(db);
  const old = await book(accountId, 420, [50, -1, -1]);
  await book(other, 410, [7]);
  const recent = await book(accountId, 399, [10, -3]);
  const read = async () => [await readMonths(db, accountId), await readTotal(db, accountId, {})];
  const before = await read();
  expect(await creditsOf(db, accountId)).toBe(55);
  await close();
  expect(await creditsOf(db, accountId)).toBe(55);
  expect(await creditsOf(db, other)).toBe(7);
  expect(await read()).toEqual(before);
  expect(await readClosed(db, accountId, {})).toEqual([
    { month: old.slice(0, 7), why: 'top-up', amount: 50, count: 1 },
    { month: old.slice(0, 7), why: 'verification', amount: -2, count: 2 },
  ]);
  expect((await readLedger(db, accountId, 9)).map(({ amount }) => amount)).toEqual([-3, 10]);
  const days = await readDays(db, accountId, {}, { limit: 9 });
  expect(days.map(({ day, balance }) => [day, balance])).toEqual([[recent, 55]]);
});

it('closes whole days, and none before its time', async () => {
  const accountId = await makeAccount(db);
  await book(accountId, 400, [5, 6]);
  await close();
  expect(await readLedger(db, accountId, 9)).toHaveLength(2);
  await book(accountId, 401, [7]);
  await close();
  expect((await readLedger(db, accountId, 9)).map(({ amount }) => amount)).toEqual([6, 5]);
});

it('shows what is left of a day while a part of it is closed', async () => {
  const accountId = await makeAccount(db);
  const day = await book(accountId, 500, [100, ...Array(9).fill(-1)]);
  expect(await closeLedger(db, YEAR_S, 4)).toBe(true);
  expect(await creditsOf(db, accountId)).toBe(91);
  expect(await readDays(db, accountId, {}, { limit: 9 })).toEqual([
    { day, sums: [{ why: 'verification', amount: -6, count: 6 }], balance: 91 },
  ]);
  expect(await readRows(db, accountId, { day }, { limit: 99 })).toHaveLength(6);
  expect(await readTotal(db, accountId, { month: day.slice(0, 7) })).toEqual({ amount: 91, count: 10 });
  expect(await readTotal(db, accountId, { day })).toEqual({ amount: -6, count: 6 });
  expect(await closeLedger(db, YEAR_S, 4)).toBe(true);
  expect(await closeLedger(db, YEAR_S, 4)).toBe(false);
  expect(await readDays(db, accountId, {}, { limit: 9 })).toEqual([]);
  expect(await creditsOf(db, accountId)).toBe(91);
});

it('is exact when four processes close while credits change', async () => {
  const accounts = await Promise.all(Array.from({ length: 6 }, () => makeAccount(db)));
  for (const [index, accountId] of accounts.entries())
    await book(accountId, 430 + index, [100, ...Array(25).fill(-1)]);
  const processes = [1, 2, 3, 4].map(() => connect(2));
  const spend = async (accountId: string) => {
    for (let of = 0; of < 10; of += 1)
      await changeCredits(db, accountId, { amount: -1, why: 'verification', of: `${accountId} ${of}` });
  };
  const left = sql`select from ledger where at < clock_timestamp() - interval '401 days' limit 1`;
  const work = async (process: typeof db) => {
    while ((await left.execute(db)).rows.length > 0) await closeLedger(process, YEAR_S, 7);
  };
  await Promise.all([...processes.map(work), ...accounts.map(spend)]);
  for (const accountId of accounts) {
    expect(await creditsOf(db, accountId)).toBe(65);
    const closed = await readClosed(db, accountId, {});
    expect(closed.flatMap(({ amount, count }) => [amount, count])).toEqual([100, 1, -25, 25]);
  }
});

it('reads no more rows than it may close, however long the ledger is', async () => {
  const accountId = await makeAccount(db);
  await sql`
    insert into ledger (account_id, amount, why, balance)
    select ${accountId}, 1, 'top-up', i from generate_series(1, 3000) as i
  `.execute(db);
  await sql`update accounts set available_credits = 3000 where id = ${accountId}`.execute(db);
  // With statistics, which PostgreSQL makes by itself at some time, the planner looks at both ends of the index.
  await sql`analyze ledger`.execute(db);
  await db.transaction().execute(async (transaction) => {
    const reads = sql<{ count: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as count
      from pg_stat_xact_user_tables where relname = 'ledger'
    `;
    const before = await reads.execute(transaction);
    expect(await closeLedger(transaction, YEAR_S, 10)).toBe(false);
    const after = await reads.execute(transaction);
    expect(after.rows[0]!.count - before.rows[0]!.count).toBeLessThanOrEqual(10 + 2);
  });
});
