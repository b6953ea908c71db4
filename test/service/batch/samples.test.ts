import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { completeBatch } from '../../../src/service/batch/batch-store.ts';
import { workOff } from '../../../src/service/batch/samples.ts';
import { inLong } from '../../in-long.ts';
import { makeAccount } from '../support/account.ts';
import { addressesAt, COMPLETED, OPEN, PAUSED, rowsOf, statusOf, storeBatch } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';

const { db } = await testDatabase();
const accountId = await makeAccount(db);

const atOneDomain = () => 'x.example';
const insert = (count: number, mode: 'test' | 'live' = 'test', owner = accountId): Promise<string> =>
  storeBatch(db, owner, addressesAt(count, atOneDomain), { mode });

const processed = (id: string, owner: string = accountId) => statusOf(db, { accountId: owner, id });

it('gives every address one result when several processes work at once', async () => {
  const ids = await Promise.all([insert(2_600), insert(700), insert(1)]);
  let asked = 0;
  const sampleVerifier: Verifier = (request) => {
    asked += 1;
    return DEPS.sampleVerifier(request);
  };
  await Promise.all([1, 2, 3].map(() => workOff({ ...DEPS, sampleVerifier, db })));
  expect(await Promise.all(ids.map((id) => processed(id)))).toEqual([
    [COMPLETED, 2_600],
    [COMPLETED, 700],
    [COMPLETED, 1],
  ]);
  expect(asked).toBe(3_301);
});

inLong('gives a small batch of another account the next turn beside many large ones', async () => {
  for (let account = 0; account < 12; account += 1) await insert(1_200, 'test', await makeAccount(db));
  /** Works until so many chunks have their results, or the batch is completed. @returns the chunks */
  const work = async (most: number) => {
    const over = new AbortController();
    let chunks = 0;
    await workOff({ ...DEPS, db }, over.signal, () => {
      chunks += 1;
      if (chunks === most) over.abort();
    });
    return chunks;
  };
  // Each has had a turn.
  await work(12);
  const owner = await makeAccount(db);
  const small = await insert(10, 'test', owner);
  // One look takes four batches.
  await work(4);
  expect((await rowsOf(db, small)).filter(({ reason }) => reason === null)).toEqual([]);
  await workOff({ ...DEPS, db });
});

it('leaves nothing behind when it fails, and completes the batch later', async () => {
  const id = await insert(600);
  const sampleVerifier = () => Promise.reject(new Error('no result'));
  await expect(workOff({ ...DEPS, sampleVerifier, db })).rejects.toThrow('no result');
  expect(await processed(id)).toEqual([OPEN, 0]);
  await workOff({ ...DEPS, db });
  expect(await processed(id)).toEqual([COMPLETED, 600]);
});

it('completes a batch once, and not while an address is open', async () => {
  const id = await insert(3);
  expect(await completeBatch(db, id, DEPS.settings.durations)).toBe(false);
  await workOff({ ...DEPS, db });
  expect(await completeBatch(db, id, DEPS.settings.durations)).toBe(false);
});

it('completes the batches of others while an account is locked, and its own afterwards', async () => {
  const owner = await makeAccount(db);
  const [locked, other] = [await insert(3, 'test', owner), await insert(3)];
  await db.transaction().execute(async (operator) => {
    await sql`select from accounts where id = ${owner} for no key update`.execute(operator);
    await workOff({ ...DEPS, db });
    expect(await processed(other)).toEqual([COMPLETED, 3]);
    expect(await processed(locked, owner)).toEqual([OPEN, 3]);
  });
  await workOff({ ...DEPS, db });
  expect(await processed(locked, owner)).toEqual([COMPLETED, 3]);
});

it('leaves live and paused batches alone', async () => {
  const [live, paused] = [await insert(2, 'live'), await insert(2)];
  await db.updateTable('batches').set({ paused_at: new Date() }).where('id', '=', paused).execute();
  await workOff({ ...DEPS, db });
  expect(await processed(live)).toEqual([OPEN, 0]);
  expect(await processed(paused)).toEqual([PAUSED, 0]);
});

it('ends early when it is stopped', async () => {
  const id = await insert(1_200);
  await workOff({ ...DEPS, db }, AbortSignal.abort());
  expect(await processed(id)).toEqual([OPEN, 0]);
});
