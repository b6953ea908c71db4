/** `Idempotency-Key` on `POST /v1/verify`, over HTTP and in a real database. */
import { describe, expect, it, vi } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import { creditsOf, topUp } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { holdGrace } from '../support/held-timers.ts';
import {
  createHeldScript,
  createScript,
  failureOf,
  makeCustomer,
  type StoredService,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';
import { FORM } from '../testing.ts';

const database = await testDatabase();
const { db } = database;
holdGrace();

const LIVE = { kind: 'private', mode: 'live' } as const;
const WANTED = { email: 'jo@company.example', timeout: '10' };

/** Sends the question with an `Idempotency-Key`, as a form unless `json` is set. */
const post = (
  service: StoredService,
  key: string,
  idempotencyKey: string,
  more: { wanted?: Record<string, string>; json?: boolean; origin?: string } = {},
) => {
  const { wanted = WANTED, json = false, origin } = more;
  const headers = {
    authorization: `Bearer ${key}`,
    'idempotency-key': idempotencyKey,
    ...(origin && { origin }),
    'content-type': json ? 'application/json' : FORM,
  };
  const payload = json ? JSON.stringify(wanted) : String(new URLSearchParams(wanted));
  return service.ask({ method: 'POST', url: '/v1/verify', headers, payload });
};

/** Two processes. */
const startTwo = ({ verifier }: { readonly verifier: Verifier }) =>
  Promise.all([startStoredService(db, { verifier }), startStoredService(database.connect(), { verifier })]);

const makeKey = (credits: number) => makeCustomer(db, credits, LIVE);

describe('an Idempotency-Key', () => {
  it('repeats the first response byte for byte, in every process and encoding, for no credit', async () => {
    const { verifier, asked } = createScript();
    const [service, other] = await startTwo({ verifier });
    const { key, accountId } = await makeKey(5);
    const first = await post(service, key, 'order 1');
    const repeated = [
      await post(service, key, 'order 1'),
      await post(other, key, 'order 1'),
      await post(service, key, 'order 1', { json: true }),
    ];
    expect(first.statusCode).toBe(200);
    for (const answer of repeated) {
      expect([answer.statusCode, answer.body]).toEqual([200, first.body]);
      expect(answer.headers['content-type']).toBe(first.headers['content-type']);
    }
    expect([asked.length, await creditsOf(db, accountId)]).toEqual([1, 4]);
    const without = await service.ask({
      url: `/v1/verify?api_key=${key}&${new URLSearchParams(WANTED)}`,
      headers: { 'idempotency-key': 'order 1' },
    });
    expect([without.statusCode, asked.length, await creditsOf(db, accountId)]).toEqual([200, 2, 3]);
  });

  it('is a 422 with another body, and free for another account', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const [one, two] = [await makeKey(5), await makeKey(5)];
    await post(service, one.key, 'once');
    for (const change of [{ email: 'ann@company.example' }, { smtp: 'false' }]) {
      const answer = await post(service, one.key, 'once', { wanted: { ...WANTED, ...change } });
      expect(failureOf(answer)).toEqual([422, expect.stringContaining('Idempotency-Key')]);
    }
    expect([asked.length, await creditsOf(db, one.accountId)]).toEqual([1, 4]);
    const foreign = await post(service, two.key, 'once', { wanted: { email: 'ann@company.example' } });
    expect([foreign.statusCode, await creditsOf(db, two.accountId)]).toEqual([200, 4]);
  });

  it('answers a live request with its own result after a test key got a sample for the same body', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(5);
    const test = await storeKey(db, accountId);
    const sample = await post(service, test.key, 'once');
    const live = await post(service, key, 'once');
    expect([sample.statusCode, live.statusCode]).toEqual([200, 200]);
    expect([asked, await creditsOf(db, accountId)]).toEqual([[WANTED.email], 4]);
    expect((await post(service, test.key, 'once')).body).toBe(sample.body);
    expect((await post(service, key, 'once')).body).toBe(live.body);
  });

  it('is the same for a rolled key', async () => {
    const { verifier, asked } = createScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(5);
    const successor = await storeKey(db, accountId, LIVE);
    const first = await post(service, key, 'once');
    expect((await post(service, successor.key, 'once')).body).toBe(first.body);
    expect(asked).toHaveLength(1);
  });

  it.each(['test', 'live'] as const)(
    'is a 400 with a public %s key, so that no visitor can use up those of the owner',
    async (mode) => {
      const { verifier, asked } = createScript();
      const ofConfig: KeyEntry = { key: 'test_page', kind: 'public', trustedDomains: ['shop.example'] };
      const service = await startStoredService(db, { verifier, keys: [ofConfig] });
      const { key, accountId } = await makeKey(5);
      const page = await storeKey(db, accountId, { kind: 'public', mode });
      for (const publicKey of [page.key, 'test_page']) {
        const answer = await post(service, publicKey, 'order 1', { origin: 'https://shop.example' });
        expect(failureOf(answer)).toEqual([400, expect.stringMatching(/public key.*private key/)]);
        expect(answer.headers['access-control-allow-origin']).toBe('https://shop.example');
      }
      expect(asked).toEqual([]);
      const own = await post(service, key, 'order 1', { wanted: { ...WANTED, smtp: 'false' } });
      expect(own.statusCode).toBe(200);
    },
  );

  it('charges once for parallel requests in two processes', async () => {
    const { verifier, asked, release, hasStarted } = createHeldScript();
    const services = await startTwo({ verifier });
    const { key, accountId } = await makeKey(5);
    const parallel = Array.from({ length: 8 }, (_, index) => post(services[index % 2]!, key, 'once'));
    await hasStarted;
    let conflictsSoFar = 0;
    for (const pending of parallel)
      void pending.then(({ statusCode }) => {
        if (statusCode === 409) conflictsSoFar += 1;
      });
    await vi.waitUntil(() => conflictsSoFar === 7);
    release();
    const answers = await Promise.all(parallel);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
    const conflicts = answers.filter(({ statusCode }) => statusCode === 409);
    expect(conflicts).toHaveLength(7);
    expect(conflicts[0]!.headers['retry-after']).toBe('1');
    expect([asked.length, await creditsOf(db, accountId)]).toEqual([1, 4]);
  });

  it('is free again after a 249, and the result then costs one credit in all', async () => {
    const { verifier, asked, release } = createHeldScript();
    const service = await startStoredService(db, { verifier });
    const { key, accountId } = await makeKey(5);
    const soon = { wanted: { ...WANTED, timeout: '2' } };
    expect((await post(service, key, 'once', soon)).statusCode).toBe(249);
    release();
    const result = await post(service, key, 'once', soon);
    const repeated = await post(service, key, 'once', soon);
    expect([result.statusCode, repeated.body]).toEqual([200, result.body]);
    expect([asked.length, await creditsOf(db, accountId)]).toEqual([1, 4]);
  });

  it('is free again after a 402', async () => {
    const service = await startStoredService(db, createScript());
    const { key, accountId } = await makeKey(0);
    expect((await post(service, key, 'once')).statusCode).toBe(402);
    await topUp(db, accountId, 1);
    expect((await post(service, key, 'once')).statusCode).toBe(200);
  });

  it('works with test keys', async () => {
    const service = await startStoredService(db);
    const { key } = await makeCustomer(db);
    const send = (as: string, email: string) => post(service, key, as, { wanted: { email } });
    const first = await send('once', 'risky@example.com');
    const repeated = await send('once', 'risky@example.com');
    expect([first.statusCode, first.json().state, repeated.body]).toEqual([200, 'risky', first.body]);
    expect((await send('once', 'role@example.com')).statusCode).toBe(422);
    expect((await send('two', 'slow@example.com')).statusCode).toBe(249);
    // The 249 has made the key free for any request.
    expect((await send('two', 'risky@example.com')).statusCode).toBe(200);
  });

  it.each(['test', 'live'] as const)(
    'of no character, or of more than 255, is a 400 with a %s key',
    async (mode) => {
      const { verifier, asked } = createScript();
      const service = await startStoredService(db, { verifier });
      const { key } = await makeCustomer(db, 5, { mode });
      for (const wrong of ['', 'x'.repeat(256), 'x'.repeat(300)]) {
        const answer = await post(service, key, wrong);
        expect(failureOf(answer)).toEqual([400, expect.stringContaining('1 to 255 characters')]);
      }
      expect(asked).toEqual([]);
      expect((await post(service, key, 'x'.repeat(255))).statusCode).toBe(200);
    },
  );

  it('means nothing without a database, and with a key of the config', async () => {
    const service = await startStoredService(db, { keys: [{ key: 'test_config', kind: 'private' }] });
    for (const email of ['risky@example.com', 'role@example.com'])
      expect((await post(service, 'test_config', 'once', { wanted: { email } })).statusCode).toBe(200);
  });
});
