import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { completeBatch } from '../../../../src/service/batch/batch-store.ts';
import { forgetMarks, noteMarks, readRecentProgress } from '../../../../src/service/batch/pace/pace-store.ts';
import { makeAccount } from '../../support/account.ts';
import { addressesAt } from '../../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { makeResults } from '../results/results.ts';

const { db } = await testDatabase();
emptyBeforeEach(db, 'batches', 'batch_marks');

const list = addressesAt(10).map((email, place) => ({ email, duplicates: place === 0 ? 2 : 0 }));
const marks = () => db.selectFrom('batch_marks').select(['batch_id', 'processed']).execute();
/** Moves the marks, and the beginning of the batch, into the past. */
const letPass = async (seconds: number) => {
  await sql`update batch_marks set at = at - make_interval(secs => ${seconds})`.execute(db);
  await sql`update batches set created_at = created_at - make_interval(secs => ${seconds})`.execute(db);
};
const verifyOneMore = (id: string) =>
  sql`
  update batch_rows set reason = 'timeout', result = (select result from batch_rows where batch_id = ${id} limit 1)
  where batch_id = ${id} and place = (select min(place) from batch_rows where batch_id = ${id} and reason is null)
`.execute(db);

it('tells how many entries got a result since the oldest mark of the last minutes', async () => {
  const { id } = await makeResults(db, list, { open: 6 });
  expect(await readRecentProgress(db, id)).toBeUndefined();
  await noteMarks(db);
  await letPass(60);
  await verifyOneMore(id);
  await noteMarks(db);
  await letPass(60);
  await verifyOneMore(id);
  expect(await marks()).toEqual([
    { batch_id: id, processed: 6 },
    { batch_id: id, processed: 7 },
  ]);
  const recent = await readRecentProgress(db, id);
  expect(recent!.entries).toBe(2);
  // Two minutes, and what the test takes.
  expect(recent!.seconds).toBeGreaterThanOrEqual(120);
  expect(recent!.seconds).toBeLessThan(180);
});

it('notes an open batch every quarter of a minute, however many processes do it', async () => {
  const { id } = await makeResults(db, list, { open: 6 });
  for (let round = 0; round < 3; round += 1) await noteMarks(db);
  expect(await marks()).toEqual([{ batch_id: id, processed: 6 }]);
});

it('forgets what is older than five minutes', async () => {
  const old = await makeResults(db, list, { open: 6 });
  await noteMarks(db);
  await letPass(270);
  await forgetMarks(db);
  expect(await marks()).toHaveLength(1);
  await letPass(31);
  expect(await readRecentProgress(db, old.id)).toBeUndefined();
  await forgetMarks(db);
  expect(await marks()).toEqual([]);
});

it('notes no batch that is completed', async () => {
  const { id } = await makeResults(db, list, { open: 1 });
  await verifyOneMore(id);
  await completeBatch(db, id, DEPS.settings.durations);
  await noteMarks(db);
  expect(await marks()).toEqual([]);
});

it('notes a few hundred batches at a time, and each of many in its turn', async () => {
  await sql`
    insert into batches (id, account_id, mode, total, distinct_total, retries)
    select substr(md5(number::text), 1, 24), ${await makeAccount(db)}, 'live', 5, 5, true
    from generate_series(1, 1200) as number
  `.execute(db);
  await sql`
    insert into batch_progress (batch_id, connection, reason, count, duplicates)
    select id, 1, 'timeout', 3, 0 from batches
  `.execute(db);
  const noted: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    await noteMarks(db);
    noted.push((await marks()).length);
  }
  // The others have a mark of these seconds.
  expect(noted).toEqual([500, 1_000, 1_200, 1_200, 1_200, 1_200]);
  await letPass(16);
  await noteMarks(db);
  expect(await marks()).toHaveLength(1_700);
});

it('counts nothing from before the batch was resumed', async () => {
  const { id } = await makeResults(db, list, { open: 6 });
  await noteMarks(db);
  await sql`update batches set resumed_at = clock_timestamp() where id = ${id}`.execute(db);
  expect(await readRecentProgress(db, id)).toBeUndefined();
});
