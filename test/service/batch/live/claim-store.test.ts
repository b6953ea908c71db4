import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { claimRows } from '../../../../src/service/batch/live/claim-store.ts';
import { touchProcess } from '../../../../src/service/jobs/process-store.ts';
import { createBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

it('claims no more than it is asked for when PostgreSQL takes the table for empty', async () => {
  // With these statistics, a join reads the table first, and looks for what is ready once for each of its rows.
  await createBatch(db, 500);
  await db.deleteFrom('batch_rows').execute();
  await sql`analyze batch_rows`.execute(db);
  const [some, others] = [await createBatch(db, 30), await createBatch(db, 30)];
  const processId = randomUUID();
  await touchProcess(db, processId);
  const claimed = await claimRows(db, processId, [
    { id: some.id, most: 2 },
    { id: others.id, most: 3 },
  ]);
  expect(claimed.map(({ batch_id, place }) => [batch_id, place]).sort()).toEqual(
    [
      [some.id, 0],
      [some.id, 1],
      [others.id, 0],
      [others.id, 1],
      [others.id, 2],
    ].sort(),
  );
});
