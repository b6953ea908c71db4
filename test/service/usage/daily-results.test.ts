/** The counts by day: written with the results, read by day, and forgotten after 400 days. */
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { claimRows, finishRows } from '../../../src/service/batch/live/claim-store.ts';
import {
  addSamples,
  forgetDailyResults,
  readDailyCounts,
  readSources,
} from '../../../src/service/usage/usage-store.ts';
import { makeAccount } from '../support/account.ts';
import { createBatch } from '../support/batch.ts';
import { expectExactBooks } from '../support/books.ts';
import { testDatabase } from '../support/database.ts';
import { addProcess } from '../support/process.ts';
import { resultOf } from '../support/result.ts';

const { db, connect } = await testDatabase();
const month = { mode: 'live', days: 30 } as const;
const WORKER = '00000000-0000-4000-8000-000000000001';
await addProcess(db, WORKER);

/** Claims all addresses of a batch, and has a result for each. */
async function claimAll(batch: { id: string }) {
  const rows = await claimRows(db, WORKER, [{ id: batch.id, most: 100 }]);
  return rows.map((row) => ({ row, result: resultOf(row.address) }));
}

it('counts the results of batches in the statement that stores them, and none if it fails', async () => {
  const batch = await createBatch(db, 4);
  const finishes = await claimAll(batch);
  await expect(
    db.transaction().execute(async (transaction) => {
      await finishRows(transaction, WORKER, finishes);
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  expect(await readDailyCounts(db, batch.accountId, month)).toEqual([]);
  await finishRows(db, WORKER, finishes);
  await finishRows(db, WORKER, finishes);
  expect(await readDailyCounts(db, batch.accountId, month)).toMatchObject([
    { reason: 'accepted_email', count: 4 },
  ]);
  expect(await readDailyCounts(db, batch.accountId, { ...month, mode: 'test' })).toEqual([]);
  expect(await readSources(db, batch.accountId)).toEqual(['batch']);
});

it('adds what each statement has stored to the count of the day', async () => {
  const batch = await createBatch(db, 4);
  const [first, ...others] = await claimAll(batch);
  await finishRows(db, WORKER, [first!]);
  await finishRows(db, WORKER, others);
  expect(await readDailyCounts(db, batch.accountId, month)).toMatchObject([
    { reason: 'accepted_email', count: 4 },
  ]);
});

it('neither waits for a locked account nor leaves its results out', async () => {
  const [locked, other] = [await createBatch(db, 3), await createBatch(db, 2)];
  const finishes = [...(await claimAll(locked)), ...(await claimAll(other))];
  const operator = await connect(1, 'operator').startTransaction().execute();
  onTestFinished(
    () =>
      void operator
        .rollback()
        .execute()
        .catch(() => {}),
  );
  await operator.selectFrom('accounts').select('id').where('id', '=', locked.accountId).forUpdate().execute();
  await finishRows(db, WORKER, finishes);
  await operator.rollback().execute();
  expect(await readDailyCounts(db, locked.accountId, month)).toMatchObject([{ count: 3 }]);
  expect(await readDailyCounts(db, other.accountId, month)).toMatchObject([{ count: 2 }]);
});

it('counts results of test keys, and leaves out accounts that were deleted', async () => {
  const accountId = await makeAccount(db);
  const sample = { accountId, reason: 'timeout' } as const;
  const others = [
    { ...sample, accountId: 'gone' },
    { accountId, reason: 'invalid_email' },
  ] as const;
  await addSamples(db, [sample, sample, ...others]);
  await addSamples(db, [sample]);
  expect(await readDailyCounts(db, accountId, { mode: 'test', days: 1 })).toMatchObject([
    { reason: 'invalid_email', count: 1 },
    { reason: 'timeout', count: 3 },
  ]);
  expect(await readDailyCounts(db, 'gone', { mode: 'test', days: 1 })).toEqual([]);
});

it('lets several processes count in the same rows at once', async () => {
  const accounts = await Promise.all(Array.from({ length: 12 }, () => makeAccount(db)));
  const processes = [1, 2, 3].map(() => connect(3));
  const work = processes.map(async (pool, process) => {
    // Each process counts in another order.
    const order = accounts.map((_, step) => accounts[(step * 5 + process) % 12]!);
    const samples = order.map((accountId) => ({ accountId, reason: 'timeout' }) as const);
    for (let round = 0; round < 20; round += 1) await addSamples(pool, samples);
  });
  await Promise.all(work);
  for (const account of accounts)
    expect(await readDailyCounts(db, account, { mode: 'test', days: 1 })).toMatchObject([{ count: 60 }]);
});

it('reads the days of UTC by the clock of the database, and forgets a day after 400 days', async () => {
  const accountId = await makeAccount(db);
  const daysAgo = (days: number) => sql`(now() at time zone 'UTC')::date - ${days}::integer`;
  for (const [days, count] of [
    [0, 7],
    [2, 2],
    [401, 1],
  ] as const) {
    await sql`
      insert into daily_results values (${accountId}, ${daysAgo(days)}, 'verify', 'live', 'timeout', ${count})
    `.execute(db);
  }
  const counts = async (days: number) =>
    (await readDailyCounts(db, accountId, { mode: 'live', days })).map(({ count }) => count);
  expect([await counts(30), await counts(2), await counts(500)]).toEqual([[2, 7], [7], [1, 2, 7]]);
  await forgetDailyResults(db);
  expect(await counts(500)).toEqual([2, 7]);
  await sql`delete from accounts where id = ${accountId}`.execute(db);
  await expectExactBooks(db);
});
