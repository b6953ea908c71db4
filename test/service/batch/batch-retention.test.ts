import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { forgetDeleted, forgetResults } from '../../../src/service/batch/batch-store.ts';
import { deleteBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { forgetRows } from '../../../src/service/lists/list-store.ts';
import { inLong } from '../../in-long.ts';
import { batchOf, createBatch, rowsOf } from '../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { makeList } from './results/results.ts';

const { db, connect } = await testDatabase();
const processes = [1, 2, 3, 4].map(() => connect(2));
emptyBeforeEach(db, 'batches');

await sql`create table emptied (batch_id text)`.execute(db);
await sql`
  create function note_emptied() returns trigger language plpgsql as $$
  begin
    insert into emptied values (new.id);
    return null;
  end
  $$
`.execute(db);
await sql`
  create trigger note_emptied after update of emptied_at on batches
  for each row execute function note_emptied()
`.execute(db);

/** A batch that was completed, and whose results expired so many seconds ago. */
async function expired(count: number, seconds = 1): Promise<string> {
  const { id } = await createBatch(db, count, { mode: 'test' });
  await sql`
    update batches set completed_at = clock_timestamp() - interval '1 day', reason_counts = '{}',
      expires_at = clock_timestamp() - make_interval(secs => ${seconds})
    where id = ${id}
  `.execute(db);
  return id;
}
const forgetExpired = async (process: typeof db) => {
  while (await forgetResults(process));
};
const rowsLeft = async (id: string) => (await rowsOf(db, id)).length;
const emptiedOnes = async () => {
  const { rows } = await sql<{ batch_id: string }>`select batch_id from emptied`.execute(db);
  return rows.map(({ batch_id }) => batch_id);
};

inLong('empties each batch once when four processes do it at once', async () => {
  const ids = await Promise.all([50_000, 6_000, 5_000, 4_999, 100, 1, 1, 1].map((count) => expired(count)));
  await Promise.all(processes.map((process) => forgetExpired(process)));
  expect(await Promise.all(ids.map(rowsLeft))).toEqual(ids.map(() => 0));
  expect((await emptiedOnes()).sort()).toEqual([...ids].sort());
});

it('leaves no address of a batch that several processes empty together', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await expired(300);
    const work = async (process: typeof db) => {
      while ((await forgetResults(process, 7)) || (await rowsLeft(id)) > 0);
    };
    await Promise.all(processes.map(work));
    expect(await rowsLeft(id)).toBe(0);
    expect((await emptiedOnes()).filter((one) => one === id)).toHaveLength(1);
  }
});

it('begins with the batch that expired first, and leaves others alone', async () => {
  const [later, first, open] = [await expired(3, 5), await expired(3, 60), await createBatch(db, 3)];
  const kept = await expired(3, -60);
  expect(await forgetResults(db)).toBe(true);
  expect([await rowsLeft(first), await rowsLeft(later)]).toEqual([0, 3]);
  await forgetExpired(db);
  expect(await Promise.all([later, kept, open.id].map(rowsLeft))).toEqual([0, 3, 3]);
  expect(await forgetResults(db)).toBe(false);
});

it('passes over a batch that is being deleted, and meets no deadlock', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => expired(2_000)));
  await Promise.all([
    ...processes.map((process) => forgetExpired(process)),
    ...ids.map((id) => deleteBatch(db, { id }, { refundUnknown: true })),
  ]);
  await forgetExpired(db);
  while (await forgetDeleted(db));
  expect(await Promise.all(ids.map(rowsLeft))).toEqual(ids.map(() => 0));
  expect(await db.selectFrom('batches').select('id').where('id', 'in', ids).execute()).toEqual([]);
});

/** The list of an expired batch, with more rows than the batch has addresses. */
async function listOf(id: string, rows: number): Promise<() => Promise<number>> {
  const { account_id: accountId } = await batchOf(db, id);
  const cells = ['Ada', 'ada@x.example'];
  const own = Array.from({ length: rows }, (_, number) => ({ cells, place: number === 0 ? 0 : null }));
  const list = await makeList(db, { id, accountId }, ['Name', 'Email'], own);
  return async () =>
    (await db.selectFrom('list_rows').select('number').where('list_id', '=', list).execute()).length;
}
const lists = async () =>
  (await db.selectFrom('lists').select('batch_id').execute()).map((list) => list.batch_id);

it('deletes the list with the results, a few rows at a time, and its titles at last', async () => {
  const id = await expired(10);
  const left = await listOf(id, 25);
  expect(await forgetResults(db, 10)).toBe(true);
  expect([await rowsLeft(id), await left(), await lists()]).toEqual([0, 15, [id]]);
  await forgetResults(db, 10);
  expect([await left(), await lists()]).toEqual([5, [id]]);
  expect(await emptiedOnes()).not.toContain(id);
  expect(await forgetResults(db, 10)).toBe(true);
  expect([await left(), await lists()]).toEqual([0, []]);
  expect(await emptiedOnes()).toContain(id);
  expect(await forgetResults(db, 10)).toBe(false);
});

it('leaves no row of a list when several processes empty its batch together', async () => {
  const id = await expired(60);
  const left = await listOf(id, 300);
  const work = async (process: typeof db) => {
    while ((await forgetResults(process, 7)) || (await left()) > 0);
  };
  await Promise.all(processes.map(work));
  expect([await rowsLeft(id), await left(), await lists()]).toEqual([0, 0, []]);
});

it('keeps the lists of other batches', async () => {
  const kept = await expired(3, -60);
  const left = await listOf(kept, 5);
  await expired(3);
  await forgetExpired(db);
  expect(await left()).toBe(5);
});

inLong('deletes the list with its batch, however many rows it has', async () => {
  const id = await expired(3, -60);
  const left = await listOf(id, 45_000);
  await deleteBatch(db, { id }, { refundUnknown: true });
  expect(await lists()).toEqual([null]);
  while (await forgetRows(db));
  expect([await left(), await lists()]).toEqual([0, []]);
});
