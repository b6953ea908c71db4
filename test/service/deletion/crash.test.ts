/** What is left when a process is killed in the middle of a deletion, a closing or a stop: all of it, or nothing. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { tasksOf } from '../../../src/service/app/housekeeping.ts';
import { readStatus } from '../../../src/service/batch/batch-status.ts';
import { claimRows, finishRows } from '../../../src/service/batch/live/claim-store.ts';
import { deleteBatch, stopBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { fillAccount } from '../app/old-rows.ts';
import { creditsOf, ledgerOf, makeAccount, makeBareAccount, topUp } from '../support/account.ts';
import { createBatch } from '../support/batch.ts';
import { prepareChildren } from '../support/children.ts';
import { clearUp } from '../support/clear-up.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { DEPS, PUBLIC_URL } from '../support/deps.ts';
import { resultOf } from '../support/result.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/deletion/child.ts');
emptyBeforeEach(db, 'batches', 'accounts');

const UUID = '00000000-0000-4000-8000-000000000001';
const tasks = tasksOf({ ...DEPS, db });

/** @returns whether the process was done before it was killed */
async function killAfter(statements: number, deed: string, id = ''): Promise<boolean> {
  const child = children.start({ DATABASE_URL: databaseUrl, DO: deed, ID: id, LEFT: `${statements}` });
  const word = await child.next<'reached' | 'done'>();
  await child.kill();
  return word === 'done';
}

/** A batch of ten addresses, of which three have a result. */
async function makeBatch() {
  const batch = await createBatch(db, 10);
  const claimed = await claimRows(db, UUID, [{ id: batch.id, most: 3 }]);
  await finishRows(
    db,
    UUID,
    claimed.map((row) => ({ row, result: resultOf(row.address) })),
  );
  return batch;
}

it('stops a batch wholly or not at all, and gives back once', async () => {
  for (let statements = 1, isDone = false; !isDone; statements += 1) {
    const batch = await makeBatch();
    isDone = await killAfter(statements, 'stop batch', batch.id);
    const completed = (await readStatus(db, batch, PUBLIC_URL))!.total_counts !== undefined;
    expect(await creditsOf(db, batch.accountId)).toBe(completed ? 7 : 0);
    const again = await stopBatch(db, { id: batch.id }, DEPS.settings);
    expect(again.kind).toBe(completed ? 'completed already' : 'stopped');
    expect(await creditsOf(db, batch.accountId)).toBe(7);
    expect(await ledgerOf(db, batch.accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
  }
});

it('deletes a batch wholly or not at all, and gives back once', async () => {
  for (let statements = 1, isDone = false; !isDone; statements += 1) {
    const batch = await makeBatch();
    isDone = await killAfter(statements, 'delete batch', batch.id);
    const isThere = (await readStatus(db, batch, PUBLIC_URL)) !== undefined;
    expect(await creditsOf(db, batch.accountId)).toBe(isThere ? 0 : 7);
    const again = await deleteBatch(db, { id: batch.id }, { refundUnknown: true });
    expect(again.kind).toBe(isThere ? 'deleted' : 'no such batch');
    await clearUp(tasks);
    expect(await creditsOf(db, batch.accountId)).toBe(7);
    expect(
      await db.selectFrom('batch_rows').select('place').where('batch_id', '=', batch.id).execute(),
    ).toEqual([]);
  }
});

it('goes on with the deletion of an account, whenever its process is killed', async () => {
  const other = await makeBareAccount(db);
  await sql`update accounts set id = 'other' where id = ${other}`.execute(db);
  for (let statements = 1, isDone = false; !isDone; statements += 3) {
    const id = await makeAccount(db, 20);
    await fillAccount(db, id, 10);
    const batch = await createBatch(db, 3, { accountId: id });
    isDone = await killAfter(statements, 'delete account', id);
    const isAlive = await db
      .selectFrom('accounts')
      .select('id')
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .execute();
    if (isAlive.length > 0) {
      // Nothing has happened yet.
      expect((await batch.status())[1]).toBe(0);
      await deleteAccount(db, id);
    }
    await clearUp(tasks);
    const left = await sql<{ count: number }>`
      select (select count(*) from accounts where id <> 'other') + (select count(*) from ledger)
        + (select count(*) from batches) + (select count(*) from batch_rows) + (select count(*) from keys) as count
    `.execute(db);
    expect(left.rows[0]!.count).toBe(0);
  }
});

it('closes the ledger without a gap, whenever its process is killed', async () => {
  const id = await makeAccount(db);
  for (let row = 0; row < 30; row += 1) await topUp(db, id, 1);
  await sql`
    with moved as (delete from ledger where account_id = ${id} returning *), days as (delete from ledger_days)
    insert into ledger (account_id, amount, why, balance, at)
    select account_id, amount, why, balance, at - interval '500 days' from moved order by moved.id
  `.execute(db);
  for (let statements = 1, isDone = false; !isDone; statements += 3) {
    isDone = await killAfter(statements, 'clear up');
    expect(await creditsOf(db, id)).toBe(30);
  }
  expect(await ledgerOf(db, id)).toEqual({});
});
