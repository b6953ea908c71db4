/** Which processes take a turn with what others died over. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { mayVerifySuspects } from '../../../src/service/batch/live/claim-store.ts';
import { pauseBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { createBatch } from '../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { addProcess, silence } from '../support/process.ts';

const { db } = await testDatabase();
emptyBeforeEach(db, 'batches', 'processes');

const PROCESSES = Array.from({ length: 4 }, () => randomUUID());
beforeEach(async () => {
  for (const id of PROCESSES) await addProcess(db, id);
});

/** A batch over whose first addresses processes have died. */
async function makeSuspects(count: number, deaths = 1) {
  const batch = await createBatch(db, 5);
  await sql`
    update batch_rows set deaths = ${deaths}, due_at = clock_timestamp()
    where batch_id = ${batch.id} and place < ${count}
  `.execute(db);
  return batch;
}

/**
 * The processes that take a turn. A machine that is slow for seconds, of which more processes come, is asked again.
 *
 * @param waitedS how long the first suspect has waited
 */
async function turns(waitedS = 0, othersS = waitedS): Promise<string[]> {
  for (;;) {
    await sql`
      update batch_rows set due_at = clock_timestamp()
        - make_interval(secs => case place when 0 then ${waitedS}::integer else ${othersS} end)
      where deaths > 0
    `.execute(db);
    const may = await Promise.all(PROCESSES.map((id) => mayVerifySuspects(db, id)));
    const { rows } = await sql<{ took: boolean }>`
      select clock_timestamp() - min(due_at) > make_interval(secs => ${waitedS + 4}) as took from batch_rows
    `.execute(db);
    if (!rows[0]!.took) return PROCESSES.filter((_, index) => may[index]);
  }
}

it.each([
  [1, 1],
  [3, 3],
  [5, 4],
])('lets no more processes than suspects take a turn: for %d, %d of 4', async (suspects, count) => {
  await makeSuspects(suspects);
  expect(await turns()).toHaveLength(count);
});

it('lets one more process take a turn for every five seconds that the first suspect has waited', async () => {
  await makeSuspects(1);
  expect(await turns(11)).toHaveLength(3);
  await db.deleteFrom('batches').execute();
  await makeSuspects(2);
  expect(await turns(11, 0)).toHaveLength(4);
});

it('counts dead processes out', async () => {
  await makeSuspects(1);
  const [first] = await turns();
  await silence(db, first!, 60);
  expect((await turns()).filter((id) => id !== first)).toHaveLength(1);
});

it('lets no process take a turn without a suspect, for poison, or for a batch that is paused', async () => {
  await createBatch(db, 5);
  await makeSuspects(1, 3);
  const paused = await makeSuspects(1);
  await pauseBatch(db, paused);
  expect(await turns(60)).toEqual([]);
});
