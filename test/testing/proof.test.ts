// @vitest-environment node
/** The proofs of the sandbox and of MSW, checked as a page's own server checks them. */
import { createServer } from 'node:http';
import { calculateJwkThumbprint, createRemoteJWKSet, customFetch, decodeJwt, jwtVerify } from 'jose';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox, text } from '../../src/testing/index.ts';
import { handlers } from '../../src/testing/msw.ts';
import { JWKS } from '../../src/testing/proof.ts';
import { listenOnLoopback } from '../loopback.ts';

const SHOP = 'https://shop.example';
const HEADER = 'email-verify-proof';

async function ask(
  service: string,
  parameters: Record<string, string>,
  headers: Record<string, string> = { origin: SHOP },
) {
  const query = new URLSearchParams({ email: 'a@b.example', api_key: 'test_key', ...parameters });
  return fetch(`${service}/v1/verify?${query}`, { headers });
}

/** As a page's server does: with the keys at the service's URL. */
async function check(service: string, answer: Response) {
  const keys = createRemoteJWKSet(new URL(`${service}/.well-known/jwks.json`), {
    [customFetch]: (url, options) => fetch(url, options),
  });
  const { payload } = await jwtVerify(answer.headers.get(HEADER)!, keys, {
    algorithms: ['ES256'],
    typ: 'email-verify-proof+jwt',
    issuer: service,
    audience: SHOP,
  });
  return payload;
}

it('names its key by the thumbprint', async () => {
  const [key] = JSON.parse(JWKS).keys;
  expect(key.kid).toBe(await calculateJwkThumbprint(key));
  expect(JWKS).not.toContain('"d"');
});

describe('the sandbox', () => {
  let service: Sandbox;
  beforeAll(async () => {
    service = await startSandbox({ answers: { 'no@b.example': 'undeliverable' } });
  });
  afterAll(() => service.stop());

  it('proves the result that the page gets', async () => {
    const answer = await ask(service.origin, { email: 'no@b.example' });
    const { state, reason, score } = (await answer.clone().json()) as Record<string, unknown>;
    const proof = await check(service.origin, answer);
    expect(proof).toMatchObject({ email: 'no@b.example', state, reason, score, test: true });
    expect(answer.headers.get('access-control-expose-headers')).toBe('Email-Verify-Proof');
  });

  it('proves a sample result, and does not call that of a live key a test', async () => {
    const proof = await check(service.origin, await ask(service.origin, { api_key: 'live_key' }));
    expect(proof).toMatchObject({ email: 'a@b.example' });
    expect(proof).not.toHaveProperty('test');
  });

  it('proves nothing for a server, without SMTP, and for other replies', async () => {
    service.answer('slow@b.example', 'slow');
    service.answer('html@b.example', text('<!doctype html>'));
    const asked = [
      ask(service.origin, {}, {}),
      ask(service.origin, { smtp: 'false' }),
      ask(service.origin, { email: 'slow@b.example' }),
      ask(service.origin, { email: 'html@b.example' }),
      ask(service.origin, { email: `${'a'.repeat(900)}@b.example` }),
    ];
    const statuses: number[] = [];
    for (const answer of await Promise.all(asked)) {
      statuses.push(answer.status);
      expect(answer.headers.get(HEADER)).toBeNull();
    }
    expect(statuses).toEqual([200, 200, 249, 200, 200]);
  });

  it('sends the proof that a test gives instead', async () => {
    service.answer('forged@b.example', { headers: { [HEADER]: 'forged' } });
    const answer = await ask(service.origin, { email: 'forged@b.example' });
    expect(answer.headers.get(HEADER)).toBe('forged');
  });

  it('is where the page finds it, behind a server of the test', async () => {
    const passOn = createServer((request, response) => void service.handle(request, response));
    const base = `http://127.0.0.1:${await listenOnLoopback(passOn)}/api`;
    expect(await check(base, await ask(base, {}))).toMatchObject({ iss: base });
  });
});

describe('the handlers of MSW', () => {
  const server = setupServer(
    ...handlers(),
    http.get('https://login.example/.well-known/jwks.json', () => HttpResponse.json({ keys: [] })),
  );
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterAll(() => server.close());

  it('prove the result that the page gets, at any host', async () => {
    const base = 'https://api.example/verification';
    const answer = await ask(base, {});
    expect(await check(base, answer)).toMatchObject({ iss: base, email: 'a@b.example', test: true });
    expect(decodeJwt(answer.headers.get(HEADER)!).aud).toBe(SHOP);
  });

  it('leave the keys of other services alone', async () => {
    const answer = await fetch('https://login.example/.well-known/jwks.json');
    expect(await answer.json()).toEqual({ keys: [] });
  });
});
