/** Keys of the database: how soon changes take effect, what they cost, and which pages they trust. */
import { sql } from 'kysely';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { type RevealedKey, revokeKey, rollKey } from '../../../src/service/keys/key-store.ts';
import { giveNewValue } from '../../../src/service/keys/manage/manage-keys.ts';
import { createStoredKeys } from '../../../src/service/keys/stored-keys.ts';
import { makeAccount } from '../support/account.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { testDatabase } from '../support/database.ts';
import {
  beginSecond,
  failureOf,
  type StoredService,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';

const { db, url } = await testDatabase();
const counted = countRoundTrips(url);
afterAll(() => counted.close());

/** The keys as a process knows them, on a clock that the test turns. */
function openRing() {
  let now = 1_000_000;
  const ring = createStoredKeys(db, () => now);
  return {
    ...ring,
    isKnown: async (key: string) => (await ring.find(key)) !== undefined,
    pass: (ms: number) => {
      now += ms;
    },
  };
}
/** For so long, a process uses what it has found. */
const HELD_MS = 800;

describe('a change of a key', () => {
  it.each<[string, boolean, (key: RevealedKey) => Promise<unknown>]>([
    ['its revocation', false, ({ id }) => revokeKey(db, id)],
    ['its roll, for the old value', false, ({ id }) => rollKey(db, id, 0, new Date())],
    ['the deletion of its account', false, ({ account_id }) => deleteAccount(db, account_id)],
    [
      'its creation, for an unknown value',
      true,
      (key) => storeKey(db, key.account_id, {}, `${key.key}_more`),
    ],
  ])('takes effect within a second: %s', async (_, isKnown, change) => {
    const ring = openRing();
    const made = await storeKey(db, await makeAccount(db));
    const value = isKnown ? `${made.key}_more` : made.key;
    expect(await ring.isKnown(value)).toBe(!isKnown);
    await change(made);
    ring.pass(HELD_MS);
    expect(await ring.isKnown(value)).toBe(isKnown);
  });

  it('ends the old value of a roll by the clock of the database, also where the clock of the process is late', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }).setSystemTime(Date.now() - 60_000);
    onTestFinished(() => void vi.useRealTimers());
    const ring = openRing();
    const { key, id } = await storeKey(db, await makeAccount(db));
    const named = { id };
    const rolled = await giveNewValue(db, { kind: 'operator' }, named, { overlapSeconds: 3_600 });
    expect(await ring.isKnown(key)).toBe(true);
    await sql`
      update key_values set expires_at = clock_timestamp() where key_id = ${id} and expires_at is not null
    `.execute(db);
    ring.pass(HELD_MS);
    expect(await ring.isKnown(key)).toBe(false);
    expect(await ring.isKnown((rolled as { key: string }).key)).toBe(true);
  });

  it('leaves the old value of a roll with overlap until the end, and the new one for good', async () => {
    const ring = openRing();
    const { key, id } = await storeKey(db, await makeAccount(db));
    const { key: rolled } = (await rollKey(db, id, 3_600, new Date()))!;
    ring.pass(HELD_MS);
    expect([await ring.isKnown(key), await ring.isKnown(rolled)]).toEqual([true, true]);
    await sql`update key_values set expires_at = expires_at - interval '1 hour' where key_id = ${id}`.execute(
      db,
    );
    ring.pass(HELD_MS);
    expect([await ring.isKnown(key), await ring.isKnown(rolled)]).toEqual([false, true]);
    await revokeKey(db, id);
    ring.pass(HELD_MS);
    expect(await ring.isKnown(rolled)).toBe(false);
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
    const fresh = countRoundTrips(url);
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

it('is never refused because its network has sent 100 unknown keys to two processes, which then get a 429', async () => {
  const [service, second] = [await startStoredService(db), await startStoredService(db, { isOwn: true })];
  const accountId = await makeAccount(db);
  const [server, page] = [await storeKey(db, accountId), await storeKey(db, accountId, { kind: 'public' })];
  const office = await storeKey(db, accountId, { trusted_ips: ['192.0.2.1'] });
  const ask = (key: string, remoteAddress = '198.51.100.7', { app } = service) =>
    app.inject({ url: `/v1/account?api_key=${key}`, remoteAddress });
  const statuses: number[] = [];
  for (let sent = 0; sent < 101; sent += 1)
    statuses.push((await ask(`live_guess_${sent}`, undefined, sent % 2 ? service : second)).statusCode);
  expect([statuses.filter((status) => status === 403).length, statuses.at(-1)]).toEqual([100, 429]);
  // A key that exists and is not accepted here is not told from an unknown one.
  const [unknown, elsewhere] = [await ask('live_guess'), await ask(office.key)];
  expect([unknown.statusCode, elsewhere.statusCode, elsewhere.body]).toEqual([429, 429, unknown.body]);
  expect(unknown.headers['retry-after']).toMatch(/^[1-9]\d?$/);
  expect((await ask(server.key)).statusCode).toBe(200);
  const email = 'deliverable@example.com';
  const verified = await service.ask({
    url: `/v1/verify?api_key=${page.key}&email=${email}`,
    ...{ remoteAddress: '198.51.100.7', headers: { origin: 'https://shop.example' } },
  });
  expect(verified.statusCode).toBe(200);
  expect((await ask('live_guess', '198.51.100.8')).statusCode).toBe(403);
});

describe('a stored public key', () => {
  const ask = (service: StoredService, origin: string, key: string) =>
    service.ask({ url: `/v1/verify?api_key=${key}&email=deliverable@example.com`, headers: { origin } });
  const preflight = (service: StoredService, origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    return service.ask({ method: 'OPTIONS', url: '/v1/verify', headers });
  };
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
    ['file://', false],
    ['file://localhost', false],
    ['chrome-extension://stored.example', false],
    ['capacitor://localhost', false],
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
    const { id, key } = await storeKey(db, await makeAccount(db), { kind: 'public' });
    const url = `/v1/verify?api_key=${key}`;
    for (const status of [400, 429]) {
      if (status === 429) await beginSecond(db, id, '/v1/verify');
      const origin = 'https://shop.example';
      const { statusCode, headers } = await service.ask({ url, headers: { origin } });
      expect([statusCode, headers['access-control-allow-origin']]).toEqual([status, origin]);
    }
  });

  it('is for no page once it is revoked', async () => {
    const ring = openRing();
    const origin = 'https://revoked.example';
    const trusted_domains = ['revoked.example'];
    const { key, id } = await storeKey(db, await makeAccount(db), { kind: 'public', trusted_domains });
    expect(await ring.anyTrustsOrigin(origin)).toBe(true);
    await revokeKey(db, id);
    ring.pass(HELD_MS);
    expect(await ring.anyTrustsOrigin(origin)).toBe(false);
    const service = await startStoredService(db);
    expect((await preflight(service, origin)).statusCode).toBe(403);
    const answer = await ask(service, origin, key);
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it('has its captcha checked with its own secret', async () => {
    const sent: string[] = [];
    const service = await startStoredService(db, {
      fetch: async (url, init) => {
        sent.push(`${url} ${init?.body}`);
        const success = String(init?.body).includes('response=solved');
        return Response.json({ success, hostname: 'shop.example' });
      },
    });
    const { key } = await storeKey(db, await makeAccount(db), {
      ...{ kind: 'public', captcha_provider: 'hcaptcha', captcha_secret: 'hush-of-key' },
      siteverify_url: 'http://127.0.0.1:9/siteverify',
    });
    const asking = async (more: string) =>
      (await ask(service, 'https://shop.example', key + more)).statusCode;
    expect(await asking('')).toBe(403);
    expect(await asking('&captcha_response=wrong')).toBe(403);
    expect(await asking('&captcha_response=solved')).toBe(200);
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
    const headers = { origin: 'https://config.example' };
    const ask = (key: string) =>
      service.ask({ url: `/v1/verify?api_key=${key}&email=risky@example.com`, headers });
    counted.take();
    expect((await ask('test_config')).json()).toMatchObject({ state: 'risky' });
    const page = await ask('test_page');
    expect([page.statusCode, page.headers['access-control-allow-origin']]).toEqual([200, headers.origin]);
    expect(counted.take().join()).not.toContain('key_values');
    expect((await ask(stored.key)).statusCode).toBe(200);
    expect(failureOf(await ask('test_unknown'))[0]).toBe(403);
  });
});
