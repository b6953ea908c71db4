import { expect, it, vi } from 'vitest';
import { forgetResults } from '../../../src/service/batch/batch-store.ts';
import { forgetRows } from '../../../src/service/lists/list-store.ts';
import { inLong } from '../../in-long.ts';
import { expire } from '../batch/results/results.ts';
import { batchesOf, csv, listOf, makeOlder, rowsOf, upload } from '../dashboard/lists/world.ts';
import { testDatabase } from '../support/database.ts';
import { runService } from '../support/running-service.ts';
import { startStoredService } from '../support/stored-service.ts';
import { arrive } from '../support/visitor.ts';

// Each upload starts a thread, and the cores are shared.

const { db, connect, url: databaseUrl } = await testDatabase();

/** How long a draft is kept. */
const DAY_MINUTES = 24 * 60;

const LIST = csv('Email', ...Array.from({ length: 25 }, (_, row) => `u${row}@example.com`));

it('deletes a draft a few rows at a time, when nobody can start it any more', async () => {
  const { visitor } = await arrive(await startStoredService(db), db);
  const [old, young] = [await upload(visitor, LIST), await upload(visitor, LIST)];
  await makeOlder(db, old, DAY_MINUTES + 4);
  expect(await forgetRows(db, 10)).toBe(false);
  await makeOlder(db, old, 1);
  expect(await forgetRows(db, 10)).toBe(true);
  // The titles of a draft are a row, too.
  const left = Array.from({ length: 16 }, (_, row) => row + 10);
  expect((await rowsOf(db, old)).map(([number]) => number)).toEqual(left);
  expect(await forgetRows(db, 10)).toBe(true);
  expect(await forgetRows(db, 10)).toBe(true);
  expect([await listOf(db, old), await rowsOf(db, old)]).toEqual([undefined, []]);
  expect(await forgetRows(db, 10)).toBe(false);
  expect(await rowsOf(db, young)).toHaveLength(26);
});

it('deletes the list of a batch when its results are no longer kept', async () => {
  const { visitor, person } = await arrive(await startStoredService(db), db);
  const id = await upload(visitor, LIST);
  await visitor.press('Start');
  await makeOlder(db, id, 2 * DAY_MINUTES);
  await forgetRows(db);
  expect(await rowsOf(db, id)).toHaveLength(25);
  const [batch] = await batchesOf(db, person);
  await expire(db, batch!.id);
  await forgetResults(db);
  expect([await listOf(db, id), await rowsOf(db, id)]).toEqual([undefined, []]);
  expect(await batchesOf(db, person)).toHaveLength(1);
});

it('leaves a draft to the process that clears it', async () => {
  const { visitor } = await arrive(await startStoredService(db), db);
  const id = await upload(visitor, LIST);
  await makeOlder(db, id, DAY_MINUTES + 5);
  await db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('lists').select('id').where('id', '=', id).forUpdate().execute();
    expect(await forgetRows(connect(1, 'another'))).toBe(false);
  });
  await forgetRows(db);
  expect(await listOf(db, id)).toBeUndefined();
});

inLong('keeps a draft over a restart, and deletes it by itself when its time is over', async () => {
  const first = runService(databaseUrl);
  await first.opened.ready;
  const { visitor } = await arrive({ app: { inject: first.ask } as never }, db);
  const id = await upload(visitor, LIST);
  await first.stop();
  const second = runService(databaseUrl);
  await second.opened.ready;
  expect(await rowsOf(db, id)).toHaveLength(26);
  await makeOlder(db, id, DAY_MINUTES + 5);
  await vi.waitFor(async () => expect(await listOf(db, id)).toBeUndefined());
});
