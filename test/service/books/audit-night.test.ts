/** The audit of the night: one process at a time, a few accounts at a time, and what it leaves. */
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { auditBooks } from '../../../src/service/books/audit-books.ts';
import { auditNext } from '../../../src/service/books/audit-night.ts';
import { readAudit } from '../../../src/service/books/night-store.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import { inLong } from '../../in-long.ts';
import { makeAccount } from '../support/account.ts';
import { createBatch } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';

async function ownDatabase() {
  const database = await testDatabase(onTestFinished);
  return database;
}

type Log = Parameters<typeof auditNext>[1];

/** As the housekeeping does at its turn. */
async function auditSome(db: Db, log: Log, mostChunks = Number.POSITIVE_INFINITY): Promise<void> {
  for (let chunks = 0; chunks < mostChunks && (await auditNext(db, log)); chunks += 1);
}

/** Accounts with one credit. */
async function makeAccounts(db: Db, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) await makeAccount(db, 1);
}

/** Instead of waiting for the night. */
const letNightCome = (db: Db) => sql`update book_audit set due_at = clock_timestamp()`.execute(db);

it('waits for the night', async () => {
  const { db } = await ownDatabase();
  await makeAccounts(db, 1);
  const log = vi.fn();
  await auditSome(db, log);
  await auditSome(db, log);
  expect(await readAudit(db)).toMatchObject({ ended_at: null, difference_count: null, late_seconds: 0 });
  const { rows } = await sql<{ hour: number; is_next: boolean }>`
    select extract(hour from due_at at time zone 'UTC')::integer as hour,
      due_at between clock_timestamp() and clock_timestamp() + interval '1 day' as is_next
    from book_audit
  `.execute(db);
  expect(rows).toEqual([{ hour: 2, is_next: true }]);
  expect(log).not.toHaveBeenCalled();
});

it('audits all accounts once in a night, says what it has found, and is due again at the next one', async () => {
  const { db } = await ownDatabase();
  const log = vi.fn();
  await makeAccounts(db, 3);
  await auditSome(db, log);
  await letNightCome(db);
  await auditSome(db, log);
  expect(await readAudit(db)).toMatchObject({ difference_count: 0, differences: [], late_seconds: 0 });
  await sql`update accounts set available_credits = 2`.execute(db);
  await auditSome(db, log);
  expect(await readAudit(db)).toMatchObject({ difference_count: 0 });
  await letNightCome(db);
  await auditSome(db, log);
  expect(await readAudit(db)).toMatchObject({ difference_count: 3, differences: await auditBooks(db) });
  expect(log.mock.calls).toEqual([
    ['info', 'books audited'],
    ['error', 'books differ', { count: 3, kinds: 'balance' }],
  ]);
});

inLong('goes on at its next turn, in any process, and keeps what it has found', async () => {
  const database = await ownDatabase();
  const { db } = database;
  await makeAccounts(db, 1_201);
  await sql`update accounts set available_credits = 2`.execute(db);
  const log = vi.fn();
  await auditSome(db, log);
  await letNightCome(db);
  await auditSome(db, log, 5);
  // It has done a part of them, and the process dies.
  expect(await readAudit(db)).toMatchObject({ ended_at: null, begun_at: expect.any(Date) });
  const others = [database.connect(2), database.connect(2)];
  while ((await readAudit(db))!.ended_at === null)
    await Promise.all(others.map((other) => auditSome(other, log, 2)));
  const { difference_count, differences } = (await readAudit(db))!;
  expect([difference_count, differences!.length]).toEqual([1_201, 100]);
  expect(log).toHaveBeenCalledTimes(1);
});

it('leaves a chunk to the process that works on it', async () => {
  const database = await ownDatabase();
  const { db } = database;
  await makeAccounts(db, 1);
  const log = vi.fn();
  await auditSome(db, log);
  await letNightCome(db);
  const other = await db.startTransaction().execute();
  await sql`select from book_audit for update`.execute(other);
  await auditSome(database.connect(2), log);
  await other.rollback().execute();
  expect(await readAudit(db)).toMatchObject({ ended_at: null });
  await auditSome(db, log);
  expect(await readAudit(db)).toMatchObject({ difference_count: 0 });
});

it('takes over the counts of accounts from before an upgrade in the first night, and finds later faults', async () => {
  const { db } = await ownDatabase();
  const log = vi.fn();
  const { accountId, id } = await createBatch(db, 4);
  // As an earlier version left them: with results that were never counted, and counts whose batches are gone.
  await sql`update batch_rows set reason = 'timeout', result = '{}' where batch_id = ${id}`.execute(db);
  await sql`
    insert into daily_results values (${accountId}, '2026-01-01', 'verify', 'live', 'timeout', 7)
  `.execute(db);
  await sql`
    insert into book_audit (due_at, proves_since)
    values (clock_timestamp() + interval '1 day', clock_timestamp() + interval '1 second')
  `.execute(db);
  expect(await auditBooks(db)).toEqual([]);
  await letNightCome(db);
  await auditSome(db, log);
  expect(await readAudit(db)).toMatchObject({ difference_count: 0 });
  expect(await auditBooks(db)).toEqual([]);
  await sql`update daily_results set count = count + 1`.execute(db);
  expect(await auditBooks(db)).toEqual([
    { kind: 'daily-results', account: accountId, expected: '7 for verify live', got: '8 for verify live' },
  ]);
});

it('deletes counts of accounts that do not exist', async () => {
  const { db } = await ownDatabase();
  await makeAccounts(db, 2);
  for (const id of ['acc_0', 'zzz']) {
    await sql`insert into daily_results values (${id}, '2026-01-01', 'batch', 'live', 'timeout', 7)`.execute(
      db,
    );
    await sql`insert into unproved_results values (${id}, 'batch', 'live', 7)`.execute(db);
  }
  await auditSome(db, vi.fn());
  await letNightCome(db);
  await auditSome(db, vi.fn());
  expect(await db.selectFrom('daily_results').selectAll().execute()).toEqual([]);
  expect(await db.selectFrom('unproved_results').selectAll().execute()).toEqual([]);
});
