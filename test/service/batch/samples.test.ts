import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { readStatus } from '../../../src/service/batch/batch-status.ts';
import { completeBatch, insertBatch } from '../../../src/service/batch/batch-store.ts';
import { workOff } from '../../../src/service/batch/samples.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS, PUBLIC_URL } from '../support/deps.ts';

const { db } = await testDatabase();
const accountId = await makeAccount(db);

async function insert(count: number, mode: 'test' | 'live' = 'test'): Promise<string> {
  const id = randomBytes(12).toString('hex');
  const entries = Array.from({ length: count }, (_, place) => ({
    address: `u${place}@x.example`,
    duplicates: 0,
  }));
  await insertBatch(db, {
    ...{ id, accountId, mode, total: count, entries, responseFields: null, retries: true, url: null },
  });
  return id;
}

const processed = async (id: string) => {
  const body = await readStatus(db, accountId, id, false, PUBLIC_URL);
  const { processed: open, total_counts } = body as {
    processed?: number;
    total_counts?: { processed: number };
  };
  return [body?.message, open ?? total_counts?.processed];
};
const COMPLETED = 'Batch verification completed.';

it('gives every address one result when several processes work at once', async () => {
  const ids = await Promise.all([insert(2_600), insert(700), insert(1)]);
  let asked = 0;
  const sampleVerifier: typeof DEPS.sampleVerifier = (request) => {
    asked += 1;
    return DEPS.sampleVerifier(request);
  };
  await Promise.all([1, 2, 3].map(() => workOff({ ...DEPS, sampleVerifier, db })));
  expect(await Promise.all(ids.map(processed))).toEqual([
    [COMPLETED, 2_600],
    [COMPLETED, 700],
    [COMPLETED, 1],
  ]);
  expect(asked).toBe(3_301);
});

it('leaves nothing behind when it fails, and completes the batch later', async () => {
  const id = await insert(600);
  const sampleVerifier = () => Promise.reject(new Error('no result'));
  await expect(workOff({ ...DEPS, sampleVerifier, db })).rejects.toThrow('no result');
  expect(await processed(id)).toEqual(['Your batch is being processed.', 0]);
  await workOff({ ...DEPS, db });
  expect(await processed(id)).toEqual([COMPLETED, 600]);
});

it('completes a batch once, and not while an address is open', async () => {
  const id = await insert(3);
  expect(await completeBatch(db, id, DEPS.settings.durations)).toBe(false);
  await workOff({ ...DEPS, db });
  expect(await completeBatch(db, id, DEPS.settings.durations)).toBe(false);
});

it('leaves live and paused batches alone', async () => {
  const [live, paused] = [await insert(2, 'live'), await insert(2)];
  await db.updateTable('batches').set({ paused_at: new Date() }).where('id', '=', paused).execute();
  await workOff({ ...DEPS, db });
  expect(await processed(live)).toEqual(['Your batch is being processed.', 0]);
  expect(await processed(paused)).toEqual(['Your batch is paused.', 0]);
});

it('ends early when it is stopped', async () => {
  const id = await insert(1_200);
  await workOff({ ...DEPS, db }, AbortSignal.abort());
  expect(await processed(id)).toEqual(['Your batch is being processed.', 0]);
});
