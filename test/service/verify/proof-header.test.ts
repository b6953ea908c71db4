/** The header `Email-Verify-Proof`, read by an independent implementation with the keys that the service publishes. */
import type { LightMyRequestResponse } from 'fastify';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { makeKeyPair } from '../../../src/service/proof/key-pair.ts';
import { createLoneKey } from '../../../src/service/proof/proof-keys.ts';
import { testDatabase } from '../support/database.ts';
import { untilJoined } from '../support/live.ts';
import {
  createHeldScript,
  createScript,
  makeCustomer,
  startStoredService,
} from '../support/stored-service.ts';
import { EVIL, FORM, KEYS, SHOP, startService, UNFINISHED } from '../testing.ts';

const { db } = await testDatabase();

const EMAIL = 'jane@company.example';
const PUBLIC_URL = 'https://verify.example';

const proofOf = ({ headers }: Pick<LightMyRequestResponse, 'headers'>) =>
  headers['email-verify-proof'] as string | undefined;

interface Service {
  ask(options: { url: string; headers: Record<string, string> }): Promise<LightMyRequestResponse>;
}

/** Asks from a page. */
const askFrom = ({ ask }: Service, api_key: string, origin = SHOP) =>
  ask({ url: `/v1/verify?${new URLSearchParams({ api_key, email: EMAIL })}`, headers: { origin } });

/** Fetches the keys as a page's server does, and checks the proof with them. */
async function check(service: Service, answer: LightMyRequestResponse, issuer: string, now: number) {
  const keys = (await service.ask({ url: '/.well-known/jwks.json', headers: {} })).json();
  const { payload } = await jwtVerify(proofOf(answer)!, createLocalJWKSet(keys), {
    ...{ algorithms: ['ES256'], typ: 'email-verify-proof+jwt', audience: SHOP, issuer },
    currentDate: new Date(now),
  });
  return payload;
}

it('proves the result of a page’s request, for ten minutes', async () => {
  const service = startService({ publicUrl: PUBLIC_URL });
  const answer = await service.fromPage({ email: ` ${EMAIL} ` });
  const payload = await check(service, answer, PUBLIC_URL, service.now);
  const { email, state, reason, score, accept_all, disposable, role, free, did_you_mean } = answer.json();
  const proven = { email, state, reason, score, accept_all, disposable, role, free, did_you_mean };
  expect(payload).toMatchObject({ ...proven, email: EMAIL, test: true });
  expect(payload.exp! - payload.iat!).toBe(600);
  await expect(check(service, answer, PUBLIC_URL, service.now + 601_000)).rejects.toThrow(/exp/);
});

it('lets the page’s script read it', async () => {
  const { headers } = await startService().fromPage({ email: EMAIL });
  expect(headers['access-control-allow-origin']).toBe(SHOP);
  expect(String(headers['access-control-expose-headers']).split(', ')).toContain('Email-Verify-Proof');
});

it('proves the result of a POST too', async () => {
  const service = startService({ publicUrl: PUBLIC_URL });
  const headers = { origin: SHOP, 'content-type': FORM };
  const payload = `${new URLSearchParams({ api_key: 'test_public', email: EMAIL })}`;
  const answer = await service.ask({ method: 'POST', url: '/v1/verify', headers, payload });
  expect(await check(service, answer, PUBLIC_URL, service.now)).toMatchObject({ email: EMAIL });
});

it('names the address that the service prints, if it has no public URL', async () => {
  const service = startService();
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const answer = await service.fromPage({ email: EMAIL });
  expect(await check(service, answer, url, service.now)).toMatchObject({ iss: url });
});

it('names the origin of each page', async () => {
  const service = startService();
  const of = async (origin: string) =>
    decodeJwt(proofOf(await service.fromPage({ email: EMAIL }, { origin }))!).aud;
  expect(await of('https://www.shop.example:8443')).toBe('https://www.shop.example:8443');
  expect(await of('http://localhost:3000')).toBe('http://localhost:3000');
});

const LONG = `${'a'.repeat(900)}@company.example`;
it.each<[string, (service: ReturnType<typeof startService>) => Promise<LightMyRequestResponse>, number]>([
  ['a private key', (service) => service.verify({ email: EMAIL }), 200],
  ['a private key that a page uses', (service) => askFrom(service, 'test_private'), 200],
  ['a result without SMTP', (service) => service.fromPage({ email: EMAIL, smtp: 'false' }), 200],
  ['a 249', (service) => service.fromPage({ email: 'slow@example.com' }), 249],
  ['an error', (service) => service.fromPage({ email: '' }), 400],
  ['a page that is not trusted', (service) => service.fromPage({ email: EMAIL }, { origin: EVIL }), 403],
  ['no origin', ({ ask }) => ask({ url: `/v1/verify?api_key=test_public&email=${EMAIL}` }), 403],
  ['an address that would make it too long', (service) => service.fromPage({ email: LONG }), 200],
])('gives no proof for %s', async (_, ask, status) => {
  const answer = await ask(startService());
  expect(answer.statusCode).toBe(status);
  expect(proofOf(answer)).toBeUndefined();
});

it('says of an address that is none that it is none', async () => {
  const answer = await startService().fromPage({ email: 'no address' });
  expect(decodeJwt(proofOf(answer)!)).toMatchObject({ email: 'no address', reason: 'invalid_email' });
});

it('proves the results of the demo to its own pages, for which browsers send no origin', async () => {
  const service = startService({ demoFolder: 'demo', keys: KEYS });
  const url = `/v1/verify?api_key=test_public&email=${EMAIL}`;
  const ask = (headers: Record<string, string>) =>
    service.ask({ url, headers: { host: 'localhost:8080', ...headers } });
  const own = await ask({ 'sec-fetch-site': 'same-origin' });
  expect(decodeJwt(proofOf(own)!).aud).toBe('http://localhost:8080');
  expect((await ask({ 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
  // A proxy that speaks TLS forwards without it.
  const ofPage = async (referer: string) =>
    decodeJwt(proofOf(await ask({ 'sec-fetch-site': 'same-origin', referer }))!).aud;
  expect(await ofPage('https://localhost:8080/proof/')).toBe('https://localhost:8080');
  expect(await ofPage('http://localhost:8080/proof/')).toBe('http://localhost:8080');
  for (const referer of [`${SHOP}/`, 'https://localhost:80801/', 'https://localhost:8080@shop.example/'])
    expect(await ofPage(referer)).toBe('http://localhost:8080');
  // An old browser says no more than the referrer.
  const old = await ask({ referer: 'https://localhost:8080/proof/' });
  expect(decodeJwt(proofOf(old)!).aud).toBe('https://localhost:8080');
  expect((await ask({ referer: `${SHOP}/` })).statusCode).toBe(403);
});

it('publishes its keys to everybody for an hour, and never the private part', async () => {
  const answer = await startService().ask({ url: '/.well-known/jwks.json' });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=3600',
    'content-type': expect.stringMatching(/^application\/json/),
  });
  const { keys } = answer.json();
  expect(keys).toHaveLength(1);
  expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

it('signs for a database with its keys, for each of the requests that share a verification', async () => {
  const { verifier, release, hasStarted, asked } = createHeldScript();
  const service = await startStoredService(db, { verifier, publicUrl: PUBLIC_URL });
  const { accountId, key } = await makeCustomer(db, 5, { kind: 'public', mode: 'live' });
  const both = Promise.all([askFrom(service, key), askFrom(service, key, 'https://www.shop.example')]);
  await hasStarted;
  await untilJoined(db, accountId);
  release();
  const [one, other] = await both;
  expect(asked).toHaveLength(1);
  const payload = await check(service, one, PUBLIC_URL, Date.now());
  expect(payload).toMatchObject({ email: EMAIL, state: 'deliverable' });
  expect(payload).not.toHaveProperty('test');
  expect(decodeJwt(proofOf(other)!)).toMatchObject({ email: EMAIL, aud: 'https://www.shop.example' });
  expect(decodeJwt(proofOf(other)!).jti).not.toBe(payload.jti);
});

it('lets another process check what one has signed', async () => {
  const { verifier } = createScript();
  const one = await startStoredService(db, { verifier, publicUrl: PUBLIC_URL });
  const other = await startStoredService(db, { verifier, publicUrl: PUBLIC_URL });
  const { key } = await makeCustomer(db, 5, { kind: 'public' });
  const answer = await askFrom(one, key);
  expect(await check(other, answer, PUBLIC_URL, Date.now())).toMatchObject({ test: true });
});

it('responds without a proof while its keys cannot be read', async () => {
  const service = await startStoredService(db, {});
  const { key } = await makeCustomer(db, 5, { kind: 'public' });
  await db.schema.alterTable('proof_keys').renameTo('proof_keys_away').execute();
  onTestFinished(async () => {
    await db.schema.alterTable('proof_keys_away').renameTo('proof_keys').execute();
  });
  const answer = await askFrom(service, key);
  expect([answer.statusCode, proofOf(answer)]).toEqual([200, undefined]);
  expect(service.logged.join()).toContain('result not signed');
  expect(service.logged.join()).not.toContain(EMAIL);
});

it('writes no proof and no key into the log', async () => {
  const service = startService({ sampleVerifier: async () => UNFINISHED });
  expect(proofOf(await service.fromPage({ email: EMAIL }))).toBeUndefined();
  const pair = makeKeyPair();
  const signing = startService({ proofKeys: createLoneKey(() => pair) });
  const proof = proofOf(await signing.fromPage({ email: EMAIL }))!;
  const [, claims] = proof.split('.');
  expect(signing.logged.length).toBeGreaterThan(0);
  expect(signing.logged.join()).not.toContain(claims);
  expect(signing.logged.join()).not.toContain(pair.d);
});
