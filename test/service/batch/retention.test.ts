import { sql } from 'kysely';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { deleteBatch } from '../../../src/service/batch/manage/manage.ts';
import { forgetExpired } from '../../../src/service/batch/retention.ts';
import { forgetResults } from '../../../src/service/batch/store.ts';
import { createBatch } from '../support/batch.ts';
import { createTestDatabase } from '../support/database.ts';

const database = await createTestDatabase();
const { db } = database;
const processes = [1, 2, 3, 4].map(() => database.connect(2));
afterAll(() => database.drop());
beforeEach(async () => {
  await db.deleteFrom('batches').execute();
});

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
const rowsLeft = async (id: string) =>
  (await db.selectFrom('batch_rows').select('place').where('batch_id', '=', id).execute()).length;
const emptiedOnes = async () => {
  const { rows } = await sql<{ batch_id: string }>`select batch_id from emptied`.execute(db);
  return rows.map(({ batch_id }) => batch_id);
};

it('empties each batch once when four processes do it at once', async () => {
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

it('ends when its time is over, and goes on the next time', async () => {
  const id = await expired(6_000);
  await forgetExpired(db, 0);
  expect(await rowsLeft(id)).toBe(1_000);
  await forgetExpired(db, 0);
  expect(await rowsLeft(id)).toBe(0);
});

it('passes over a batch that is being deleted, and meets no deadlock', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => expired(2_000)));
  await Promise.all([
    ...processes.map((process) => forgetExpired(process)),
    ...ids.map((id) => deleteBatch(db, { id }, true)),
  ]);
  expect(await Promise.all(ids.map(rowsLeft))).toEqual(ids.map(() => 0));
});
