/** A public key drains nobody: its own count of requests, and its credits of a day. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { readSecondsToMidnight } from '../../../src/service/limits/limit-store.ts';
import { creditsOf, makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { scriptVerifier, startLive } from '../support/live.ts';
import {
  beginSecond,
  createScript,
  failureOf,
  type StoredServiceOptions,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;
const PAGE = 'https://shop.example';
const MANY_ADDRESSES = { verifyPerSecond: 1_000_000, uniquePerDay: 1_000 };

let asked = 0;
async function startWith(daily_credits: number | null, options: StoredServiceOptions = {}) {
  const accountId = await makeAccount(db, 100);
  const { key, id } = await storeKey(db, accountId, { kind: 'public', mode: 'live', daily_credits });
  const { verifier } = createScript();
  const settings = { verifier, limits: MANY_ADDRESSES, ...options };
  const { ask } = await startStoredService(database.connect(5), settings);
  const visit = (address = `a${++asked}@example.com`) =>
    ask({ url: `/v1/verify?api_key=${key}&email=${address}`, headers: { origin: PAGE } });
  return { accountId, id, key, ask, visit };
}
const spentBy = async (keyId: string) =>
  (await db.selectFrom('key_spending').select('spent').where('key_id', '=', keyId).executeTakeFirst())?.spent;

it('lets a key spend its credits of the day, and refuses further requests with a 429', async () => {
  const { accountId, id, visit } = await startWith(2);
  expect((await visit()).statusCode).toBe(200);
  expect((await visit()).statusCode).toBe(200);
  const refused = await visit();
  expect(failureOf(refused)).toEqual([429, expect.stringContaining('credits that it may spend in a day')]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await creditsOf(db, accountId)).toBe(98);
  expect(await spentBy(id)).toBe(2);
});

it('says when the day of the database ends', async () => {
  const { visit } = await startWith(1);
  await visit();
  const expected = await readSecondsToMidnight(db);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 3_600_000 });
  const { headers } = await visit();
  vi.useRealTimers();
  // A day may have ended in between.
  expect((expected - Number(headers['retry-after']) + 86_400) % 86_400).toBeLessThan(3_600);
});

it('counts exactly in two processes, which 60 requests reach together', async () => {
  const accountId = await makeAccount(db, 100);
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  const startProcess = () => startLive(database.connect(10), script.verifier);
  const processes = [await startProcess(), await startProcess()];
  const payer = { keyId: `key_${randomUUID()}`, limit: 25 };
  const question = { accountId, payer, smtp: true, acceptAll: false, timeoutMs: 60_000 };
  const requests = Array.from({ length: 60 }, (_, number) =>
    processes[number % 2]!.live.verify({ ...question, address: `a${number}@example.com` }),
  );
  const answers = await Promise.all(requests);
  expect(answers.filter(({ kind }) => kind === 'result')).toHaveLength(25);
  expect(answers.filter(({ kind }) => kind === 'key-spent')).toHaveLength(35);
  expect(await creditsOf(db, accountId)).toBe(75);
});

it('gives back what was refunded', async () => {
  const { verifier } = createScript({ state: 'unknown', reason: 'timeout' });
  const { accountId, id, visit } = await startWith(1, { verifier });
  expect((await visit()).statusCode).toBe(200);
  expect((await visit()).statusCode).toBe(200);
  expect(await spentBy(id)).toBe(0);
  expect(await creditsOf(db, accountId)).toBe(100);
});

it('begins anew on the next day, and gives nothing back to it for the day before', async () => {
  const { id, visit } = await startWith(1);
  expect((await visit()).statusCode).toBe(200);
  expect((await visit()).statusCode).toBe(429);
  await sql`update key_spending set day = day - 1 where key_id = ${id}`.execute(db);
  expect((await visit()).statusCode).toBe(200);
  expect((await visit()).statusCode).toBe(429);
  expect(await spentBy(id)).toBe(1);
});

it('counts before there is a limit, so that a new limit holds for the whole day', async () => {
  const { id, visit } = await startWith(null);
  for (let number = 0; number < 3; number += 1) expect((await visit()).statusCode).toBe(200);
  expect(await spentBy(id)).toBe(3);
});

it('counts the requests of a public key apart from those of the private keys', async () => {
  const limits = { verifyPerSecond: 3, uniquePerDay: 1_000 };
  const { accountId, id, visit, ask } = await startWith(null, { limits });
  const server = await storeKey(db, accountId, { kind: 'private', mode: 'live' });
  await beginSecond(db, id, '/v1/verify');
  await beginSecond(db, accountId, '/v1/verify');
  const statuses: number[] = [];
  for (let number = 0; number < 5; number += 1) statuses.push((await visit()).statusCode);
  expect(statuses).toEqual([200, 200, 429, 429, 429]);
  const own = await ask({ url: `/v1/verify?api_key=${server.key}&email=server@example.com` });
  expect(own.statusCode).toBe(200);
  expect(own.headers['ratelimit-remaining']).toBe('1');
});

it('leaves no spending of a key behind when its account is deleted', async () => {
  const { accountId, id, visit } = await startWith(5);
  await visit();
  await db.deleteFrom('accounts').where('id', '=', accountId).execute();
  expect(await spentBy(id)).toBeUndefined();
  for (const table of ['ledger', 'ledger_days', 'verifications'] as const) {
    const left = db.selectFrom(table).select('account_id').where('account_id', '=', accountId);
    expect(await left.execute()).toEqual([]);
  }
});
