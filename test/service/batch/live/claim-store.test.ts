import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  beginRows,
  claimRows,
  finishRows,
  makeReady,
} from '../../../../src/service/batch/live/claim-store.ts';
import { touchProcess } from '../../../../src/service/jobs/process-store.ts';
import { claimedOf, createBatch } from '../../support/batch.ts';
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
