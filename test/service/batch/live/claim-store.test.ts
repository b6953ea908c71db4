import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  beginRows,
  claimRows,
  claimSuspects,
  finishRows,
  makeReady,
  mayVerifySuspects,
  releaseRows,
} from '../../../../src/service/batch/live/claim-store.ts';
import { touchProcess } from '../../../../src/service/jobs/process-store.ts';
import { claimedOf, createBatch, rowsOf } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { explainAll } from '../../support/explained-database.ts';
import { addProcess, silence } from '../../support/process.ts';

const { db, url } = await testDatabase();

describe('when PostgreSQL takes the table for empty', () => {
  beforeEach(async () => {
    await createBatch(db, 500);
    await db.deleteFrom('batch_rows').execute();
    await sql`analyze batch_rows`.execute(db);
  });

  // A join would read the table first, and look for what is ready once for each of its rows.
  it('claims no more than it is asked for', async () => {
    const [some, others] = [await createBatch(db, 30), await createBatch(db, 30)];
    const processId = randomUUID();
    await touchProcess(db, processId);
    const claimed = await claimRows(db, processId, [
      { id: some.id, most: 2 },
      { id: others.id, most: 3 },
    ]);
    const placesOf = ({ id }: { id: string }) =>
      claimed.filter(({ batch_id }) => batch_id === id).map(({ place }) => place);
    expect([claimed.length, placesOf(some).sort(), placesOf(others).sort()]).toEqual([5, [0, 1], [0, 1, 2]]);
  });

  // A join would look for each claim once for each row of the table: 40 of 400 claims took 20 seconds.
  it('looks for each claim once, to begin and to end it', async () => {
    const { id } = await createBatch(db, 300);
    const processId = randomUUID();
    await touchProcess(db, processId);
    const claimed = (await claimRows(db, processId, [{ id, most: 100 }])).slice(0, 20);
    const explained = explainAll(url);
    onTestFinished(() => explained.close());
    await beginRows(explained.db, processId, claimed);
    const finishes = claimed.map((row) => ({ row }));
    await finishRows(explained.db, processId, finishes);
    const buffers = explained.take();
    expect(buffers).toHaveLength(2);
    for (const each of buffers) expect(each).toBeLessThan(2_000);
    expect(await claimedOf(db, id)).toBe(80);
  });
});

it('releases what each dead process has claimed, beside living ones', async () => {
  const { id } = await createBatch(db, 4);
  // In this order, the owners of claims are found.
  const [first, dead, living, gone] = Array.from({ length: 4 }, () => randomUUID()).sort();
  for (const processId of [first!, dead!, living!, gone!]) {
    await addProcess(db, processId);
    await claimRows(db, processId, [{ id, most: 1 }]);
  }
  await silence(db, dead!);
  await db.deleteFrom('processes').where('id', '=', gone!).execute();
  await makeReady(db);
  const claimed = db.selectFrom('batch_rows').select('process_id').where('process_id', 'is not', null);
  const owners = await claimed.where('batch_id', '=', id).orderBy('process_id').execute();
  expect(owners).toEqual([{ process_id: first }, { process_id: living }]);
});

/** As if a process had died over the address, which is due after some time. */
const makeSuspect = (id: string, place: number, dueInS = 0) =>
  sql`
    update batch_rows set deaths = 1, due_at = clock_timestamp() + make_interval(secs => ${dueInS})
    where batch_id = ${id} and place = ${place}
  `.execute(db);

it('claims alone what processes died over and what is due, of batches that go on', async () => {
  const [{ id }, paused] = [await createBatch(db, 4), await createBatch(db, 1)];
  await makeSuspect(id, 1);
  await makeSuspect(id, 2, 60);
  await sql`update batch_rows set due_at = clock_timestamp() where batch_id = ${id} and place = 3`.execute(
    db,
  );
  await makeSuspect(paused.id, 0);
  await sql`update batches set paused_at = now() where id = ${paused.id}`.execute(db);
  // So that this process has the first turn.
  await db.deleteFrom('processes').execute();
  const processId = randomUUID();
  await addProcess(db, processId);
  expect(await mayVerifySuspects(db, processId)).toBe(true);
  const claimed = await claimSuspects(db, processId, 'suspect', 10);
  expect(claimed).toMatchObject([{ batch_id: id, place: 1 }]);
  expect(await mayVerifySuspects(db, processId)).toBe(false);
});

it('says whether addresses wait that processes died over, from the moment in which it finds them', async () => {
  await db.deleteFrom('batches').execute();
  const { id } = await createBatch(db, 3);
  const processId = randomUUID();
  await addProcess(db, processId);
  const claimed = await claimRows(db, processId, [{ id, most: 1 }]);
  await beginRows(db, processId, claimed);
  await makeSuspect(id, 1, 60);
  expect(await makeReady(db)).toBe(false);
  await silence(db, processId);
  expect([await makeReady(db), await makeReady(db)]).toEqual([true, true]);
});

it('keeps an address that processes died over alone when its claim is released', async () => {
  const { id } = await createBatch(db, 2);
  const processId = randomUUID();
  await addProcess(db, processId);
  await claimRows(db, processId, [{ id, most: 1 }]);
  await makeSuspect(id, 1);
  await claimSuspects(db, processId, 'suspect', 100);
  await releaseRows(db, processId, []);
  const [fresh, suspect] = await rowsOf(db, id);
  expect([fresh, suspect]).toMatchObject([{ due_at: null }, { due_at: expect.any(Date) }]);
});

it('takes a claim that another process has for lost, beside a claim of its own on the same place', async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const [{ id }, { id: lost }] = [await createBatch(db, 1), await createBatch(db, 1)];
  for (const processId of [mine, other]) await addProcess(db, processId);
  const [row] = await claimRows(db, mine, [{ id, most: 1 }]);
  const [taken] = await claimRows(db, other, [{ id: lost, most: 1 }]);
  expect(await beginRows(db, mine, [row!, taken!])).toEqual(['done', 'lost']);
  expect(await finishRows(db, mine, [{ row: row! }, { row: taken! }])).toEqual(['done', 'lost']);
});
