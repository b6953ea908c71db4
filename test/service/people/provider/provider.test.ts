/** What the service knows of a provider that is slow, broken or hostile. */
import { expect, it } from 'vitest';
import { createProvider, type ProviderOptions } from '../../../../src/service/people/provider/provider.ts';
import { createBoundedFetch } from '../../../../src/service/people/provider/provider-fetch.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';

const METADATA = '/.well-known/openid-configuration';

async function start(options: Partial<ProviderOptions> = {}) {
  const scripted = await startScriptedProvider();
  const time = { now: 0 };
  const logged: string[] = [];
  const provider = createProvider({
    settings: scripted.settings,
    log: (...event) => void logged.push(JSON.stringify(event)),
    now: () => time.now,
    ...options,
  });
  const reads = () => scripted.asked.filter((path) => path === METADATA).length;
  return { scripted, provider, time, logged, reads };
}

it('reads the metadata when it is first needed, once for all who wait, and keeps it', async () => {
  const { provider, reads } = await start();
  expect(reads()).toBe(0);
  const found = await Promise.all([provider.find(), provider.find(), provider.find()]);
  expect(found.every((each) => each !== undefined)).toBe(true);
  await provider.find();
  expect(reads()).toBe(1);
});

it('tries again after a pause, and lets everybody go on at once until then', async () => {
  const { scripted, provider, time, reads, logged } = await start();
  scripted.script = { status: 500 };
  expect(await provider.find()).toBeUndefined();
  expect(provider.isAway()).toBe(true);
  scripted.script = {};
  expect(await provider.find()).toBeUndefined();
  expect(reads()).toBe(1);
  time.now += 5_000;
  expect(await provider.find()).toBeDefined();
  expect(provider.isAway()).toBe(false);
  expect(logged).toHaveLength(1);
});

it('goes on with what it knows if the metadata cannot be read again', async () => {
  const { scripted, provider, time, reads } = await start();
  const found = await provider.find();
  scripted.script = { silent: true };
  time.now += 60 * 60 * 1000;
  expect(await provider.find()).toBe(found);
  await expect.poll(reads).toBe(2);
  expect(await provider.find()).toBe(found);
});

it.each([
  ['belongs to another issuer', { issuer: 'https://evil.example' }],
  ['has no keys', { jwks_uri: undefined }],
  ['has no page to sign in', { authorization_endpoint: undefined }],
  ['has no endpoint for tokens', { token_endpoint: undefined }],
])('does not use metadata that %s', async (_, metadata) => {
  const { scripted, provider, logged } = await start();
  scripted.script = { metadata };
  expect(await provider.find()).toBeUndefined();
  expect(logged[0]).toContain('provider not reached');
});

it('takes an issuer with or without a slash at its end', async () => {
  const { scripted } = await start();
  const settings = { ...scripted.settings, issuer: `${scripted.issuer}/` };
  expect(await createProvider({ settings, log: () => {} }).find()).toBeDefined();
});

it('ends a request that takes too long', async () => {
  const { scripted, provider, logged } = await start({ requestMs: 50 });
  scripted.script = { silent: true };
  expect(await provider.find()).toBeUndefined();
  expect(logged[0]).toContain('provider not reached');
});

it('reads no response to its end that is too large', async () => {
  const { scripted, provider } = await start();
  scripted.script = { padding: 10_000_000 };
  expect(await provider.find()).toBeUndefined();
});

it('follows no redirect, and sends nothing without TLS to another machine', async () => {
  const sent: string[] = [];
  const send = (async (url: URL, init: RequestInit) => {
    sent.push(`${url.href} ${init.redirect}`);
    return new Response(null, { status: 302, headers: { location: 'http://evil.example' } });
  }) as unknown as typeof fetch;
  const secure = createBoundedFetch({ issuer: new URL('https://login.example'), fetch: send });
  expect((await secure('https://login.example/token')).status).toBe(302);
  await expect(secure('http://login.example/token')).rejects.toThrow('without TLS');
  await expect(secure('http://127.0.0.1/token')).rejects.toThrow('without TLS');
  const local = createBoundedFetch({ issuer: new URL('http://127.0.0.1:1'), fetch: send });
  await local('http://127.0.0.1:2/token');
  await expect(local('http://login.example/token')).rejects.toThrow('without TLS');
  await expect(local('file:///etc/passwd')).rejects.toThrow('without TLS');
  expect(sent).toEqual(['https://login.example/token manual', 'http://127.0.0.1:2/token manual']);
});
