/** No statement of a worker waits for an address that somebody else has locked, as a deletion does. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  beginRows,
  claimRows,
  finishRows,
  makeReady,
  releaseRows,
} from '../../../../src/service/batch/live/claim-store.ts';
import { touchProcess } from '../../../../src/service/jobs/process-store.ts';
import { createBatch, rowsOf } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { resultOf } from '../../support/result.ts';

const { db } = await testDatabase();

/** Three addresses that a process has claimed. Another connection locks the second one while `run` runs. */
async function lockSecond(
  run: (processId: string, batchId: string) => Promise<unknown>,
  prepare: (processId: string, batchId: string) => Promise<unknown> = async () => {},
) {
  const { id } = await createBatch(db, 3);
  const processId = randomUUID();
  await touchProcess(db, processId);
  await claimRows(db, processId, [{ id, most: 3 }]);
  await prepare(processId, id);
  const locking = await db.startTransaction().execute();
  try {
    await sql`select from batch_rows where batch_id = ${id} and place = 1 for update`.execute(locking);
    await run(processId, id);
  } finally {
    await locking.rollback().execute();
  }
  const isReady = async () =>
    (await rowsOf(db, id)).map(({ process_id, due_at }) => process_id === null && due_at === null);
  return { processId, rows: await rowsOf(db, id), isReady };
}

const claimsOf = (batch_id: string, attempt = 1) => [0, 1, 2].map((place) => ({ batch_id, place, attempt }));

it('writes the other results', async () => {
  const { rows } = await lockSecond(async (processId, id) => {
    const finishes = claimsOf(id).map((row) => ({ row, result: resultOf(`u${row.place}@x.example`) }));
    expect(await finishRows(db, processId, finishes)).toEqual(['done', 'busy', 'done']);
  });
  expect(rows.map(({ reason }) => reason)).toEqual(['accepted_email', null, 'accepted_email']);
});

it('begins the others, and tells a locked one from one that was taken over', async () => {
  await lockSecond(async (processId, id) => {
    expect(await beginRows(db, processId, claimsOf(id))).toEqual(['done', 'busy', 'done']);
    expect(await beginRows(db, processId, claimsOf(id, 2))).toEqual(['lost', 'lost', 'lost']);
    expect(await beginRows(db, randomUUID(), claimsOf(id))).toEqual(['lost', 'lost', 'lost']);
  });
});

it('releases the others, and the locked one later', async () => {
  const { processId, isReady } = await lockSecond((processId) => releaseRows(db, processId, []));
  expect(await isReady()).toEqual([true, false, true]);
  await releaseRows(db, processId, []);
  expect(await isReady()).toEqual([true, true, true]);
});

it.each([
  [
    'that dead processes have claimed',
    (processId: string) => sql`delete from processes where id = ${processId}`,
  ],
  [
    'whose time has come',
    (_: string, id: string) =>
      sql`update batch_rows set process_id = null, due_at = clock_timestamp() where batch_id = ${id}`,
  ],
])('makes others ready %s', async (_, prepare) => {
  const { isReady } = await lockSecond(
    () => makeReady(db),
    (processId, id) => prepare(processId, id).execute(db),
  );
  expect(await isReady()).toEqual([true, false, true]);
  await makeReady(db);
  expect(await isReady()).toEqual([true, true, true]);
});
