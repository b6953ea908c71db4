/** `GET /v1/account` over HTTP, with keys and accounts in a real database. */
import { describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { idOf } from '../../../src/service/keys/config-keys.ts';
import { revokeKey } from '../../../src/service/keys/key-store.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { beginSecond, failureOf, startStoredService, storeKey } from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

const REFUSED = [403, expect.stringMatching(/^The API key is not accepted here\./)];
const withKey = (key: string) => ({ url: '/v1/account', headers: { authorization: `Bearer ${key}` } });

describe('GET /v1/account', () => {
  it.each(['test', 'live'] as const)('returns the real figures for a private %s key', async (mode) => {
    const service = await startStoredService(db);
    const accountId = await makeAccount(db, 41);
    const { key } = await storeKey(db, accountId, { mode });
    const answer = await service.ask({ url: `/v1/account?api_key=${key}` });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ owner_email: `${accountId}@example.com`, available_credits: 41 });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      vary: 'Origin',
      'ratelimit-limit': '1000000',
    });
  });

  it('answers HEAD without a body, and other methods with a 405', async () => {
    const service = await startStoredService(db);
    const { key } = await storeKey(db, await makeAccount(db, 1));
    const head = await service.ask({ ...withKey(key), method: 'HEAD' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    const post = await service.ask({ ...withKey(key), method: 'POST' });
    expect([post.statusCode, post.headers.allow]).toEqual([405, expect.stringContaining('GET')]);
  });

  it('refuses a public key with its own message, and a foreign page with the common one', async () => {
    const service = await startStoredService(db);
    const { key } = await storeKey(db, await makeAccount(db), { kind: 'public' });
    const ask = (origin: string) => service.ask({ url: `/v1/account?api_key=${key}`, headers: { origin } });
    const own = /^Public keys work at \/v1\/verify only\./;
    expect(failureOf(await ask('https://shop.example'))).toEqual([403, expect.stringMatching(own)]);
    expect(failureOf(await ask('https://evil.example'))).toEqual(REFUSED);
  });

  it('refuses a key of the config with its own message, however often it asks', async () => {
    const limits = { accountPerSecond: 1 };
    const service = await startStoredService(db, { keys: [{ key: 'test_config', kind: 'private' }], limits });
    const refusal = [403, expect.stringMatching(/^This key comes from the config and has no account/)];
    for (let requests = 0; requests < 3; requests += 1)
      expect(failureOf(await service.ask(withKey('test_config')))).toEqual(refusal);
  });

  it('refuses unknown and revoked keys and access tokens alike, and asks for a missing credential', async () => {
    const service = await startStoredService(db);
    const revoked = await storeKey(db, await makeAccount(db));
    await revokeKey(db, revoked.id);
    expect(failureOf(await service.ask(withKey(revoked.key)))).toEqual(REFUSED);
    expect(failureOf(await service.ask(withKey('live_unknown')))).toEqual(REFUSED);
    expect(failureOf(await service.ask({ url: '/v1/account?access_token=unknown' }))).toEqual(REFUSED);
    const missing = /^API key is required\. Send it as api_key, or in the header/;
    for (const url of ['/v1/account', '/v1/account?api_key='])
      expect(failureOf(await service.ask({ url }))).toEqual([401, expect.stringMatching(missing)]);
  });

  it('accepts a key with trusted IP addresses from these only', async () => {
    const service = await startStoredService(db);
    const trusted_ips = ['192.0.2.0/24', '2001:db8::1'];
    const { key } = await storeKey(db, await makeAccount(db), { trusted_ips });
    const from = async (remoteAddress: string) =>
      (await service.ask({ ...withKey(key), remoteAddress })).statusCode;
    for (const ip of ['192.0.2.77', '::ffff:192.0.2.77', '2001:db8::1']) expect(await from(ip)).toBe(200);
    for (const ip of ['192.0.3.1', '2001:db8::2']) expect(await from(ip)).toBe(403);
  });

  it('refuses the key of an account that was deleted a moment ago', async () => {
    const service = await startStoredService(db);
    const accountId = await makeAccount(db, 1);
    const { key } = await storeKey(db, accountId);
    expect((await service.ask(withKey(key))).statusCode).toBe(200);
    await deleteAccount(db, accountId);
    // The key itself is still held.
    expect(failureOf(await service.ask(withKey(key)))).toEqual(REFUSED);
  });
});

describe('the rate limit of /v1/account', () => {
  it('is 5 a second for all keys of an account together, also in two processes', async () => {
    const services = await Promise.all([
      startStoredService(db, { limits: {} }),
      startStoredService(database.connect(), { limits: {} }),
    ]);
    const accountId = await makeAccount(db);
    const keys = await Promise.all([storeKey(db, accountId), storeKey(db, accountId)]);
    const other = await storeKey(db, await makeAccount(db));
    await beginSecond(db, accountId, '/v1/account');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        services[index % 2]!.ask(withKey(keys[(index >> 1) % 2]!.key)),
      ),
    );
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4);
    expect(refused).toHaveLength(8);
    expect(failureOf(refused[0]!)).toEqual([429, 'Rate Limit Exceeded']);
    expect(refused[0]!.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
    });
    expect((await services[0]!.ask(withKey(other.key))).statusCode).toBe(200);
  });

  it("is the account's own where the operator has set one", async () => {
    const service = await startStoredService(db, { limits: {} });
    const accountId = await makeAccount(db);
    await db.updateTable('accounts').set({ account_per_second: 2 }).where('id', '=', accountId).execute();
    const { key } = await storeKey(db, accountId);
    await beginSecond(db, accountId, '/v1/account');
    const answers = await Promise.all(Array.from({ length: 4 }, () => service.ask(withKey(key))));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 429, 429, 429]);
    expect(answers[0]!.headers['ratelimit-limit']).toBe('2');
  });

  it('counts the key of a config in all processes together', async () => {
    const keys = [{ key: 'test_of_config', kind: 'private' as const }];
    const limits = { verifyPerSecond: 3 };
    const services = await Promise.all([
      startStoredService(db, { keys, limits }),
      startStoredService(database.connect(), { keys, limits }),
    ]);
    await beginSecond(db, idOf('test_of_config'), '/v1/verify');
    const url = '/v1/verify?api_key=test_of_config&email=deliverable@example.com';
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => services[index % 2]!.ask({ url })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2);
  });
});
