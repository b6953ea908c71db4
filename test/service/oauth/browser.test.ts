/** What pages may read, and what clients find out by themselves: CORS and metadata. */
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { FORM, startService } from '../testing.ts';
import { DEVICE_GRANT, openWorld, refusalOf, VERIFIER } from './world.ts';

const { db } = await testDatabase();

const PAGE = { headers: { origin: 'https://spa.example' } };
const ENDPOINTS = ['token', 'device/code', 'revoke'];
const METADATA = '/.well-known/oauth-authorization-server';

describe('a page of a public app', () => {
  it('may read the tokens, the device code and the answer to a revocation', async () => {
    const { makeApp, codeOf, post } = await openWorld(db);
    const app = await makeApp({ isPublic: true });
    const code = {
      ...{ grant_type: 'authorization_code', redirect_uri: 'https://app.example/callback' },
      code_verifier: VERIFIER,
    };
    const tokens = await post('token', { ...app, ...code, code: await codeOf(app) }, PAGE);
    const device = await post('device/code', { ...app }, PAGE);
    const revoked = await post('revoke', { ...app, token: tokens.json().access_token }, PAGE);
    for (const answer of [tokens, device, revoked]) {
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      expect(answer.headers.vary).toBe('Origin');
    }
  });

  it.each(ENDPOINTS)('may read the errors of /oauth/%s', async (path) => {
    const { makeApp, post } = await openWorld(db);
    const app = await makeApp({ isPublic: true, allowsDevice: false });
    for (const form of [{}, { ...app }, { client_id: 'unknown_client' }]) {
      const answer = await post(path, form, PAGE);
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });
});

it.each(ENDPOINTS)('lets no page read what /oauth/%s says to an app with a secret', async (path) => {
  const { makeApp, codeOf, tokensOf, post } = await openWorld(db);
  const app = await makeApp();
  const code = { grant_type: 'authorization_code', redirect_uri: 'https://app.example/callback' };
  const { access_token: token } = await tokensOf(app);
  const right = await post(path, { ...app, ...code, code: await codeOf(app), token }, PAGE);
  expect(right.statusCode).toBe(200);
  const wrong = await post(path, { ...app, ...code, client_secret: 'wrong' }, PAGE);
  expect(refusalOf(wrong)).toEqual([401, 'invalid_client']);
  for (const answer of [right, wrong])
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
});

it.each(ENDPOINTS)('answers the preflight of /oauth/%s', async (path) => {
  const { app } = await openWorld(db);
  const url = `/oauth/${path}`;
  const answer = await app.inject({ method: 'OPTIONS', url, ...PAGE });
  expect([answer.statusCode, answer.body]).toEqual([204, '']);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Authorization, Content-Type',
    'access-control-max-age': '600',
  });
  const plain = await app.inject({ method: 'OPTIONS', url });
  expect(Object.keys(plain.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

it('lets no page read anything else', async () => {
  const { app, makeApp, tokensOf } = await openWorld(db);
  const { access_token } = await tokensOf(await makeApp({ isPublic: true }));
  const urls = [
    METADATA,
    '/oauth/unknown',
    '/oauth/token',
    `/oauth/token?access_token=${access_token}`,
    `/v1/account?access_token=${access_token}`,
  ];
  for (const url of urls) {
    const answer = await app.inject({ url, ...PAGE });
    expect(answer.headers, url).not.toHaveProperty('access-control-allow-origin');
  }
});

it('lets no key decide who reads an OAuth endpoint', async () => {
  const { ask } = startService();
  const url = '/oauth/authorize?api_key=test_public';
  const answer = await ask({ url, headers: { origin: 'https://shop.example' } });
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
});

describe('the metadata', () => {
  it('names every endpoint below the public URL', async () => {
    const { app } = await openWorld(db, { publicUrl: 'https://verify.example' });
    const answer = await app.inject(METADATA);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toEqual({
      issuer: 'https://verify.example',
      authorization_endpoint: 'https://verify.example/oauth/authorize',
      token_endpoint: 'https://verify.example/oauth/token',
      revocation_endpoint: 'https://verify.example/oauth/revoke',
      device_authorization_endpoint: 'https://verify.example/oauth/device/code',
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      code_challenge_methods_supported: ['S256', 'plain'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      scopes_supported: ['all'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('names the documentation, if the service has it', async () => {
    const { app } = await openWorld(db, { publicUrl: 'https://verify.example', docs: DOCS });
    const { service_documentation: url } = (await app.inject(METADATA)).json();
    expect(url).toBe('https://verify.example/docs/oauth');
  });

  it('names the address that the service listens on, without a public URL', async () => {
    const { app } = await openWorld(db, { isOwn: true });
    for (const host of ['127.0.0.1', '::1']) {
      const { app } = await openWorld(db, { isOwn: true });
      const address = await app.listen({ host, port: 0 });
      const metadata = await (await fetch(address + METADATA)).json();
      expect(metadata).toMatchObject({ issuer: address, token_endpoint: `${address}/oauth/token` });
    }
    // Without a port there is nothing to name.
    expect((await app.inject(METADATA)).json().issuer).toBe('http://localhost');
  });

  it('is not there without a database', async () => {
    expect((await startService().ask({ url: METADATA })).statusCode).toBe(404);
  });
});

it('takes a body that is sent over a real connection', async () => {
  const { app, makeApp } = await openWorld(db, { isOwn: true });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const { client_id } = await makeApp();
  const body = new FormData();
  body.set('client_id', client_id);
  const asMultipart = await fetch(`${address}/oauth/device/code`, { method: 'POST', body });
  expect(asMultipart.status).toBe(200);
  const headers = { 'content-type': FORM };
  const form = { method: 'POST', headers, body: `client_id=${client_id}` };
  expect((await fetch(`${address}/oauth/device/code`, form)).status).toBe(200);
});
