import { expect, it, onTestFinished, vi } from 'vitest';
import { createUsageFlush } from '../../../src/service/app/flush-usage.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { markUsed } from '../../../src/service/keys/key-store.ts';
import { createUsageCounter, type UsageCounter } from '../../../src/service/usage/usage-counter.ts';
import { addRefusals, forgetRefusals, readRefusals } from '../../../src/service/usage/usage-store.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { bringBack, takeAway } from '../support/outage.ts';
import { storeKey } from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

const flush = (counter: UsageCounter) => createUsageFlush(db, counter, silentLog)();

async function refusalsOf(keyId: string, of = db) {
  return of
    .selectFrom('key_refusals')
    .select(['reason', 'seen_from', 'count', 'first_at', 'last_at'])
    .where('key_id', '=', keyId)
    .orderBy('last_at', 'desc')
    .execute();
}

const PLACE = '198.51.100.1';
/** How often a key was refused at the place. */
const countOf = async (keyId: string, of = db) => (await refusalsOf(keyId, of)).map(({ count }) => count);

it('adds what was counted, and nothing twice', async () => {
  const key = await storeKey(db, await makeAccount(db));
  const counter = createUsageCounter();
  for (let count = 0; count < 7; count += 1) counter.countRefusal(key.id, 'ip', PLACE);
  await flush(counter);
  await flush(counter);
  expect(await countOf(key.id)).toEqual([7]);
});

it('keeps what it has counted while the database is away, and says so once', async () => {
  const own = await testDatabase(onTestFinished);
  const key = await storeKey(own.db, await makeAccount(own.db));
  const log = vi.fn();
  const counter = createUsageCounter();
  const pool = own.connect();
  const flushOwn = createUsageFlush(pool, counter, log);
  await takeAway(own);
  for (let round = 0; round < 3; round += 1) {
    counter.countRefusal(key.id, 'ip', PLACE);
    await flushOwn();
  }
  await bringBack(own);
  await vi.waitFor(async () => {
    await flushOwn();
    expect(await countOf(key.id, pool)).toEqual([3]);
  });
  expect(log.mock.calls.map(([, event]) => event)).toEqual(['usage not counted yet']);
});

it('drops what the database refuses for good, and goes on', async () => {
  const key = await storeKey(db, await makeAccount(db));
  const log = vi.fn();
  const counter = createUsageCounter();
  counter.countRefusal(key.id, 'unknown' as 'ip', PLACE);
  const flushLogged = createUsageFlush(db, counter, log);
  await flushLogged();
  expect(log).toHaveBeenCalledTimes(1);
  counter.countRefusal(key.id, 'ip', PLACE);
  await flushLogged();
  expect(await countOf(key.id)).toEqual([1]);
});

it('leaves out deleted keys, and unknown ones', async () => {
  const key = await storeKey(db, await makeAccount(db));
  const counter = createUsageCounter();
  for (const id of ['gone', 'app_x', key.id]) {
    counter.countUse(id);
    counter.countRefusal(id, 'ip', PLACE);
  }
  await flush(counter);
  expect(await countOf(key.id)).toEqual([1]);
});

it('neither waits for the deletion of an account nor fails over it', async () => {
  const [kept, deleted] = [await makeAccount(db), await makeAccount(db)];
  const [keptKey, key] = [await storeKey(db, kept), await storeKey(db, deleted)];
  const counter = createUsageCounter();
  for (const { id } of [keptKey, key]) {
    counter.countUse(id);
    counter.countRefusal(id, 'ip', PLACE);
  }
  const transaction = await db.startTransaction().execute();
  await transaction.selectFrom('accounts').select('id').where('id', '=', deleted).forUpdate().execute();
  await transaction.deleteFrom('accounts').where('id', '=', deleted).execute();
  await flush(counter);
  await transaction.commit().execute();
  expect([await countOf(keptKey.id), await countOf(key.id)]).toEqual([[1], []]);
});

it('lets several processes add to the same rows at once, while accounts are deleted', async () => {
  const accounts = await Promise.all(Array.from({ length: 12 }, () => makeAccount(db)));
  const keys = await Promise.all(accounts.map((account) => storeKey(db, account)));
  const log = vi.fn();
  const processes = [1, 2, 3].map(() => database.connect(3));
  const rounds = processes.map(async (pool, process) => {
    const counter = createUsageCounter();
    const flushPool = createUsageFlush(pool, counter, log);
    for (let round = 0; round < 20; round += 1) {
      // Each process counts in another order.
      for (let step = 0; step < 12; step += 1) {
        const place = (step * 5 + process) % 12;
        counter.countUse(keys[place]!.id);
        for (let from = 0; from < 8; from += 1)
          counter.countRefusal(keys[place]!.id, 'ip', `198.51.${round}.${from + process}`);
      }
      await flushPool();
    }
  });
  const deletions = accounts.slice(0, 4).map((account) => deleteAccount(db, account));
  await Promise.all([...rounds, ...deletions]);
  expect(log.mock.calls).toEqual([]);
  for (const key of keys.slice(4)) expect((await refusalsOf(key.id)).length).toBeLessThanOrEqual(20);
});

it('says when a key was used, and writes one in steady use every 10 seconds', async () => {
  const accountId = await makeAccount(db);
  const [key, other] = [await storeKey(db, accountId), await storeKey(db, accountId)];
  const usedAt = async ({ id }: { id: string }) => {
    const row = db.selectFrom('keys').select('last_used_at').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).last_used_at!.getTime();
  };
  const uses = [key, other].map(({ id }, index) => ({ keyId: id, at: index * 60_000 }));
  await markUsed(db, uses, 60_000);
  const first = await usedAt(key);
  const ofOther = await usedAt(other);
  expect(ofOther - first).toBe(60_000);
  await markUsed(db, [{ keyId: key.id, at: 60_000 }], 60_000);
  expect(await usedAt(key)).toBeGreaterThan(first);
  await markUsed(db, [{ keyId: other.id, at: 60_000 }], 60_000);
  expect(await usedAt(other)).toBe(ofOther);
});

it('adds refusals up, and keeps the latest 20 places of a key', async () => {
  const key = await storeKey(db, await makeAccount(db));
  const refused = { keyId: key.id, reason: 'origin', count: 1 } as const;
  const at = (number: number, time: number) => ({
    ...refused,
    ...{ seenFrom: `https://${number}.example`, first: time, last: time },
  });
  await addRefusals(db, [at(1, 1_000), at(2, 2_000)], 10_000);
  await addRefusals(db, [at(1, 9_000)], 10_000);
  const [latest, other] = await refusalsOf(key.id);
  expect([latest, other]).toMatchObject([
    { seen_from: 'https://1.example', count: 2 },
    { seen_from: 'https://2.example', count: 1 },
  ]);
  expect(latest!.last_at.getTime() - latest!.first_at.getTime()).toBeGreaterThan(7_000);
  const places = Array.from({ length: 20 }, (_, number) => at(number + 10, 10_000));
  await addRefusals(db, places, 10_000);
  const kept = (await refusalsOf(key.id)).map(({ seen_from }) => seen_from);
  expect(kept.sort()).toEqual(places.map(({ seenFrom }) => seenFrom));
});

it("reads the refusals of an account's keys that work", async () => {
  const account = await makeAccount(db);
  const [key, revoked] = [await storeKey(db, account, { name: 'Shop' }), await storeKey(db, account)];
  const foreign = await storeKey(db, await makeAccount(db));
  const refusals = [key, revoked, foreign].map(({ id }) => ({
    ...{ keyId: id, reason: 'ip', seenFrom: '::1', count: 3, first: 0, last: 0 },
  })) as Parameters<typeof addRefusals>[1];
  await addRefusals(db, refusals, 1000);
  await db.updateTable('keys').set({ revoked_at: new Date() }).where('id', '=', revoked.id).execute();
  expect(await readRefusals(db, account, { days: 7, limit: 5 })).toMatchObject([
    { key_id: key.id, key_name: 'Shop', last4: key.last4, reason: 'ip', seen_from: '::1', count: 3 },
  ]);
});

it('forgets refusals after a month', async () => {
  const account = await makeAccount(db);
  const key = await storeKey(db, account);
  const day = 86_400_000;
  const old = { keyId: key.id, reason: 'ip', seenFrom: 'old', count: 1, first: 0, last: 0 } as const;
  await addRefusals(db, [old, { ...old, seenFrom: 'new', last: 2 * day }], 31 * day);
  await forgetRefusals(db);
  expect((await refusalsOf(key.id)).map(({ seen_from }) => seen_from)).toEqual(['new']);
});
