/** Whose turn it is, and how a batch enters and leaves the queue. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  claimRows,
  finishRows,
  makeReady,
  releaseRows,
} from '../../../../src/service/batch/live/claim-store.ts';
import { deleteBatch, pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import {
  doneBatches,
  endTurns,
  nextBatches,
  waitingAccounts,
} from '../../../../src/service/batch/turns/turn-store.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { inLong } from '../../../in-long.ts';
import { makeAccount } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { explainAll } from '../../support/explained-database.ts';
import { addProcess } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';

const database = await testDatabase();
const { db, url } = database;
const processId = randomUUID();
await addProcess(db, processId);
emptyBeforeEach(db, 'batches', 'account_turns');

const waiting = () => waitingAccounts(db, 'live', 99);
const queued = async () => {
  const rows = await db.selectFrom('batch_turns').select('batch_id').orderBy('last').execute();
  return rows.map(({ batch_id }) => batch_id);
};
/** The batches of the account that comes first. */
async function takeTurn(most = 1): Promise<string[]> {
  const [accountId] = await waiting();
  const next = await nextBatches(db, 'live', [{ accountId: accountId!, most, batches: most }]);
  const ids = next.map(({ id }) => id);
  await endTurns(db, 'live', [accountId!], ids);
  return ids;
}
/** Ends the turn of a batch and its account. */
const endTurn = ({ accountId, id }: { accountId: string; id: string }) =>
  endTurns(db, 'live', [accountId], [id]);
const claim = (id: string, most = 99) => claimRows(db, processId, [{ id, most }]);

it('gives accounts their turns in order, however many there are', async () => {
  const batches = [];
  for (let number = 0; number < 46; number += 1) batches.push(await createBatch(db, 2));
  const turns: string[] = [];
  for (let number = 0; number < 92; number += 1) turns.push(...(await takeTurn()));
  const ids = batches.map(({ id }) => id).sort();
  expect(turns.slice(0, 46).sort()).toEqual(ids);
  expect(turns.slice(46)).toEqual(turns.slice(0, 46));
});

it('gives the batches of an account their turns in order, and a new account the next turn', async () => {
  const accountId = await makeAccount(db, 99);
  const own = [];
  for (let number = 0; number < 3; number += 1) own.push((await createBatch(db, 2, { accountId })).id);
  const first = [await takeTurn(), await takeTurn()].flat();
  const other = await createBatch(db, 2);
  expect(await takeTurn()).toEqual([other.id]);
  const last = [await takeTurn(), await takeTurn(), await takeTurn()].flat();
  expect([...first, last[0], last[2]].sort()).toEqual([...own, first[0]].sort());
  expect(last[1]).toBe(other.id);
});

it('lets an account that comes again not pass those that have waited', async () => {
  const [one, other] = [await createBatch(db, 1), await createBatch(db, 1)];
  await claim(one.id);
  await endTurn(one);
  expect(await waiting()).toEqual([other.accountId]);
  await createBatch(db, 1, { accountId: one.accountId });
  expect(await waiting()).toEqual([other.accountId, one.accountId]);
});

it('keeps the turns of live keys and of test keys apart', async () => {
  const accountId = await makeAccount(db, 99);
  const { id } = await createBatch(db, 2, { accountId });
  await createBatch(db, 2, { accountId, mode: 'test' });
  await createBatch(db, 2, { mode: 'test' });
  const waitingInTest = (most: number) => waitingAccounts(db, 'test', most);
  expect(await waiting()).toEqual([accountId]);
  expect([await waitingInTest(1), await waitingInTest(9)]).toMatchObject([{ length: 1 }, { length: 2 }]);
  await claim(id);
  await endTurn({ accountId, id });
  expect([await waiting(), await queued()]).toMatchObject([{ length: 0 }, { length: 2 }]);
  expect(await waitingInTest(9)).toContain(accountId);
});

it('shares what is claimed of an account among its batches', async () => {
  const accountId = await makeAccount(db, 99);
  for (let number = 0; number < 3; number += 1) await createBatch(db, 9, { accountId });
  const next = await nextBatches(db, 'live', [{ accountId, most: 8, batches: 3 }]);
  expect(next.map(({ most }) => most)).toEqual([2, 2, 2]);
});

describe('a batch leaves the queue', () => {
  it('when all its addresses are claimed, and comes back when one is released', async () => {
    const batch = await createBatch(db, 3);
    const [row] = await claim(batch.id, 2);
    await endTurn(batch);
    expect(await queued()).toEqual([batch.id]);
    await claim(batch.id);
    await endTurn(batch);
    expect([await queued(), await waiting()]).toEqual([[], []]);
    await finishRows(db, processId, [{ row: row! }]);
    expect([await queued(), await waiting()]).toEqual([[batch.id], [batch.accountId]]);
  });

  it.each([
    ['given back', () => releaseRows(db, processId, [])],
    [
      'whose process has died',
      async () => {
        await db.deleteFrom('processes').where('id', '=', processId).execute();
        await makeReady(db);
        await addProcess(db, processId);
      },
    ],
    [
      'tried again',
      async () => {
        await sql`
          update batch_rows set process_id = null, due_at = clock_timestamp() where process_id = ${processId}
        `.execute(db);
        expect(await queued()).toEqual([]);
        await makeReady(db);
      },
    ],
  ])('and comes back for addresses that are %s', async (_, release) => {
    const batch = await createBatch(db, 3);
    await claim(batch.id);
    await endTurn(batch);
    await release();
    expect([await queued(), await waiting()]).toEqual([[batch.id], [batch.accountId]]);
  });

  it('while it is paused, and comes back when it is resumed', async () => {
    const batch = await createBatch(db, 3);
    await pauseBatch(db, batch);
    await endTurn(batch);
    expect([await queued(), await waiting()]).toEqual([[], []]);
    await resumeBatch(db, batch);
    expect([await queued(), await waiting()]).toEqual([[batch.id], [batch.accountId]]);
  });

  it('when it is deleted', async () => {
    const batch = await createBatch(db, 3);
    await deleteBatch(db, batch, { refundUnknown: true });
    expect(await queued()).toEqual([]);
    await endTurn(batch);
    expect(await waiting()).toEqual([]);
  });

  it('not for addresses that another transaction has locked and may leave as they are', async () => {
    const batch = await createBatch(db, 3);
    const locking = await db.startTransaction().execute();
    await sql`select from batch_rows where batch_id = ${batch.id} for update`.execute(locking);
    expect(await claim(batch.id)).toEqual([]);
    await endTurn(batch);
    await locking.rollback().execute();
    expect([await queued(), await waiting()]).toEqual([[batch.id], [batch.accountId]]);
  });

  it('not while a transaction that releases an address has not ended', async () => {
    const batch = await createBatch(db, 3);
    await claim(batch.id);
    const releasing = await db.startTransaction().execute();
    await releaseRows(releasing, processId, []);
    await endTurn(batch);
    expect(await queued()).toEqual([batch.id]);
    await releasing.commit().execute();
    await claim(batch.id);
    await endTurn(batch);
    expect(await queued()).toEqual([]);
  });
});

describe('a batch whose addresses all have a result', () => {
  const finish = async (id: string) => {
    for (const row of await claim(id))
      await finishRows(db, processId, [{ row, result: resultOf(row.address) }]);
  };

  it('is found until it is completed, and no other', async () => {
    const [done, open] = [await createBatch(db, 3), await createBatch(db, 3)];
    await finish(done.id);
    const [row] = await claim(open.id);
    await finishRows(db, processId, [{ row: row!, result: resultOf(row!.address) }]);
    const expected = [{ id: done.id, account_id: done.accountId }];
    // The process that finds it may die before it completes it.
    expect([await doneBatches(db, 'live'), await doneBatches(db, 'live')]).toEqual([expected, expected]);
    expect(await doneBatches(db, 'test')).toEqual([]);
    const looked = db.selectFrom('batch_progress').select('batch_id').where('is_new', '=', true);
    expect(await looked.execute()).toEqual([{ batch_id: done.id }]);
    await pauseBatch(db, done);
    expect(await doneBatches(db, 'live')).toEqual([]);
    await resumeBatch(db, done);
    expect(await doneBatches(db, 'live')).toEqual(expected);
  });

  it('is found when the last result comes while another worker looks', async () => {
    const batch = await createBatch(db, 2);
    const [first, last] = await claim(batch.id);
    const finishing = await db.startTransaction().execute();
    await finishRows(finishing, processId, [{ row: last!, result: resultOf(last!.address) }]);
    // Of another reason, because equal ones of a day have one count, and would wait for each other.
    await finishRows(db, processId, [{ row: first!, result: resultOf(first!.address, 'unknown') }]);
    expect(await doneBatches(db, 'live')).toEqual([]);
    await finishing.commit().execute();
    expect(await doneBatches(db, 'live')).toEqual([{ id: batch.id, account_id: batch.accountId }]);
  });

  it('is found when the last result raises one of the counts of a connection while another worker looks', async () => {
    const one = database.connect(1);
    const batch = await createBatch(db, 3);
    const [accepted, unknown, last] = await claim(batch.id);
    const finish = (db: Db, row: typeof last, state?: 'unknown') =>
      finishRows(db, processId, [{ row: row!, result: resultOf(row!.address, state) }]);
    await finish(one, accepted);
    await finish(one, unknown, 'unknown');
    const finishing = await one.startTransaction().execute();
    await finish(finishing, last, 'unknown');
    expect(await doneBatches(db, 'live')).toEqual([]);
    await finishing.commit().execute();
    expect(await doneBatches(db, 'live')).toEqual([{ id: batch.id, account_id: batch.accountId }]);
  });
});

inLong('reads few buffers of a long queue', async () => {
  const accountId = await makeAccount(db);
  // 3,000 batches of one account, and 2,000 of as many others, each with an address that is ready.
  await sql`
    insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
    select 'acc_q' || n, 'q' || n || '@example.com', 'q' || n || '@example.com', 'x', 'whsec_x'
    from generate_series(1, 2000) as n
  `.execute(db);
  await sql`
    insert into batches (id, account_id, mode, total, distinct_total, retries)
    select lpad(to_hex(n), 24, '0'), case when n <= 2000 then 'acc_q' || n else ${accountId} end, 'live', 1, 1, true
    from generate_series(1, 5000) as n
  `.execute(db);
  await sql`
    insert into batch_rows (batch_id, place, address) select id, 0, '"a@b.example"' from batches
  `.execute(db);
  await sql`analyze`.execute(db);
  const explained = explainAll(url);
  onTestFinished(() => explained.close());
  await waitingAccounts(explained.db, 'live', 10);
  await nextBatches(explained.db, 'live', [{ accountId, most: 100, batches: 10 }]);
  await doneBatches(explained.db, 'live');
  const buffers = explained.take();
  expect(buffers).toHaveLength(3);
  for (const each of buffers) expect(each).toBeLessThan(50);
});
