/** Keys of the database in running services: how soon changes take effect, what they cost, and which pages they trust. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deleteAccount } from '../../../src/service/accounts/store.ts';
import { type RevealedKey, revokeKey, rollKey } from '../../../src/service/keys/store.ts';
import { createStoredKeys, domainsAbove } from '../../../src/service/keys/stored-keys.ts';
import { makeAccount } from '../support/account.ts';
import { type CountedDatabase, countRoundTrips } from '../support/counted-database.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  beginSecond,
  failureOf,
  type StoredService,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';

const database = await createTestDatabase();
const { db } = database;
let counted: CountedDatabase;
beforeAll(() => {
  counted = countRoundTrips(database.url);
});
afterAll(async () => {
  await counted.close();
  await database.drop();
});

const statusOf = async (service: StoredService, key: string) =>
  (await service.ask({ url: `/v1/account?api_key=${key}` })).statusCode;

/**
 * Asks until the answer has this status.
 *
 * @returns how many milliseconds after the call the last request began that was still answered otherwise
 */
async function timeUntil(status: number, ask: () => Promise<number>): Promise<number> {
  const began = performance.now();
  let last = 0;
  await vi.waitUntil(
    async () => {
      const now = performance.now() - began;
      if ((await ask()) === status) return true;
      last = now;
      return false;
    },
    { timeout: 5000, interval: 20 },
  );
  return last;
}

describe('a change of a key', () => {
  it.each<[string, number, (key: RevealedKey) => Promise<unknown>]>([
    ['its revocation', 403, ({ id }) => revokeKey(db, id, new Date())],
    ['its roll, for the old value', 403, ({ id }) => rollKey(db, id, 0, new Date())],
    ['the deletion of its account', 403, ({ account_id }) => deleteAccount(db, account_id)],
    [
      'its creation, for a value that was unknown',
      200,
      (key) => storeKey(db, key.account_id, {}, `${key.key}_more`),
    ],
  ])('takes effect within a second: %s', async (_, status, change) => {
    const service = await startStoredService(db);
    const made = await storeKey(db, await makeAccount(db));
    const value = status === 200 ? `${made.key}_more` : made.key;
    // From here on, the service holds what it found.
    expect(await statusOf(service, value)).toBe(status === 200 ? 403 : 200);
    await change(made);
    expect(await timeUntil(status, () => statusOf(service, value))).toBeLessThan(1000);
  });

  it('leaves the old value of a roll with overlap until the end, and the new one for good', async () => {
    const service = await startStoredService(db);
    const { key, id } = await storeKey(db, await makeAccount(db));
    const rolled = await rollKey(db, id, 2, new Date());
    expect([await statusOf(service, key), await statusOf(service, rolled!.key)]).toEqual([200, 200]);
    const began = performance.now();
    await timeUntil(403, () => statusOf(service, key));
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(await statusOf(service, rolled!.key)).toBe(200);
    await revokeKey(db, id, new Date());
    await timeUntil(403, () => statusOf(service, rolled!.key));
  });
});

describe('a lookup', () => {
  const ofKeys = () => counted.take().filter((statement) => statement.includes('key_values'));

  it('costs one query for equal lookups at once, and none for the next 0.8 seconds', async () => {
    let now = 1_000_000;
    const ring = createStoredKeys(counted.db, () => now);
    const { key } = await storeKey(db, await makeAccount(db));
    ofKeys();
    const found = await Promise.all(Array.from({ length: 20 }, () => ring.find(key)));
    expect(new Set(found).size).toBe(1);
    expect(ofKeys()).toHaveLength(1);
    now += 799;
    await ring.find(key);
    expect(ofKeys()).toHaveLength(0);
    now += 1;
    await ring.find(key);
    expect(ofKeys()).toHaveLength(1);
  });

  it('costs the same for a key that is unknown, and sends the database a digest only', async () => {
    const ring = createStoredKeys(counted.db, () => 0);
    ofKeys();
    expect(await ring.find('live_nobody')).toBeUndefined();
    expect(await ring.find('live_nobody')).toBeUndefined();
    const statements = ofKeys();
    expect(statements).toHaveLength(1);
    expect(statements.join()).not.toContain('live_nobody');
  });

  it('is tried again after it failed', async () => {
    const fresh = countRoundTrips(database.url);
    onTestFinished(() => fresh.close());
    const { key } = await storeKey(db, await makeAccount(db));
    const ring = createStoredKeys(fresh.db, () => 0);
    const broken = new Error('the connection broke');
    const connect = vi.spyOn(fresh.db.getExecutor(), 'executeQuery').mockRejectedValueOnce(broken);
    await expect(ring.find(key)).rejects.toBe(broken);
    connect.mockRestore();
    expect(await ring.find(key)).toMatchObject({ kind: 'private', mode: 'test' });
  });
});

it.each([
  ['a.shop.example', ['a.shop.example', 'shop.example', 'example']],
  ['localhost', ['localhost']],
  ['a.localhost', ['a.localhost']],
  ['192.0.2.1', ['192.0.2.1']],
  ['[2001:db8::1]', ['[2001:db8::1]']],
])('looks for the domains of %s', (host, domains) => {
  expect(domainsAbove(host)).toEqual(domains);
});

describe('a stored public key', () => {
  const ask = (service: StoredService, origin: string, key: string) =>
    service.ask({ url: `/v1/verify?api_key=${key}&email=deliverable@example.com`, headers: { origin } });
  const preflight = (service: StoredService, origin: string) =>
    service.ask({
      method: 'OPTIONS',
      url: '/v1/verify',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const TRUSTED = ['stored.example', 'localhost', '192.0.2.9', '[2001:db8::9]'];

  it.each([
    ['https://stored.example', true],
    ['http://www.a.STORED.example:8080', true],
    ['http://localhost:3000', true],
    ['http://192.0.2.9', true],
    ['http://[2001:db8::9]:81', true],
    ['https://notstored.example', false],
    ['https://stored.example.evil.test', false],
    ['https://example', false],
    ['http://a.localhost', false],
    ['http://192.0.2.90', false],
    ['null', false],
    ['nonsense', false],
  ])('is for pages at %s: %s', async (origin, isTrusted) => {
    const service = await startStoredService(db);
    const { key } = await storeKey(db, await makeAccount(db), { kind: 'public', trusted_domains: TRUSTED });
    const [answer, before] = [await ask(service, origin, key), await preflight(service, origin)];
    expect([answer.statusCode, before.statusCode]).toEqual(isTrusted ? [200, 204] : [403, 403]);
    for (const { headers } of [answer, before]) {
      expect(headers['access-control-allow-origin']).toBe(isTrusted ? origin : undefined);
      expect(headers.vary).toBe('Origin');
    }
  });

  it('lets its pages read errors as well', async () => {
    const service = await startStoredService(db, { limits: { verifyPerSecond: 1 } });
    const accountId = await makeAccount(db);
    const { key } = await storeKey(db, accountId, { kind: 'public' });
    const url = `/v1/verify?api_key=${key}`;
    for (const status of [400, 429]) {
      if (status === 429) await beginSecond(db, accountId, '/v1/verify');
      const answer = await service.ask({ url, headers: { origin: 'https://shop.example' } });
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([
        status,
        'https://shop.example',
      ]);
    }
  });

  it('is for no page once it is revoked', async () => {
    const service = await startStoredService(db);
    const origin = 'https://revoked.example';
    const trusted_domains = ['revoked.example'];
    const { key, id } = await storeKey(db, await makeAccount(db), { kind: 'public', trusted_domains });
    expect((await preflight(service, origin)).statusCode).toBe(204);
    await revokeKey(db, id, new Date());
    const asking = async () => (await preflight(service, origin)).statusCode;
    expect(await timeUntil(403, asking)).toBeLessThan(1000);
    const answer = await ask(service, origin, key);
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it('has its captcha checked with its own secret', async () => {
    const sent: string[] = [];
    const service = await startStoredService(db, {
      fetch: async (url, init) => {
        sent.push(`${url} ${init?.body}`);
        return Response.json({
          success: String(init?.body).includes('response=solved'),
          hostname: 'shop.example',
        });
      },
    });
    const { key } = await storeKey(db, await makeAccount(db), {
      kind: 'public',
      captcha_provider: 'hcaptcha',
      captcha_secret: 'hush-of-key',
      siteverify_url: 'http://127.0.0.1:9/siteverify',
    });
    const asking = async (token: string) =>
      (await ask(service, 'https://shop.example', `${key}${token && `&captcha_response=${token}`}`))
        .statusCode;
    expect([await asking(''), await asking('wrong'), await asking('solved')]).toEqual([403, 403, 200]);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatch(/^http:\/\/127\.0\.0\.1:9\/siteverify .*secret=hush-of-key/);
    expect(service.logged.join()).not.toContain('hush');
  });
});

describe('keys of the config', () => {
  const keys = [
    { key: 'test_config', kind: 'private' as const },
    { key: 'test_page', kind: 'public' as const, trustedDomains: ['config.example'] },
  ];

  it('work next to those of the database, without a query to find them', async () => {
    const service = await startStoredService(counted.db, { keys });
    const stored = await storeKey(db, await makeAccount(db));
    const ask = (key: string) =>
      service.ask({
        url: `/v1/verify?api_key=${key}&email=risky@example.com`,
        headers: { origin: 'https://config.example' },
      });
    counted.take();
    expect((await ask('test_config')).json()).toMatchObject({ state: 'risky' });
    const page = await ask('test_page');
    expect([page.statusCode, page.headers['access-control-allow-origin']]).toEqual([
      200,
      'https://config.example',
    ]);
    expect(counted.take().join()).not.toContain('key_values');
    expect((await ask(stored.key)).statusCode).toBe(200);
    expect(failureOf(await ask('test_unknown'))[0]).toBe(403);
  });
});
