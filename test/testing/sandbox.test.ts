/** The sandbox, asked as a program asks: every kind of answer, and what it tells of the questions. */
import { readFileSync } from 'node:fs';
import { createServer, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFacts } from '../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../src/engine/facts/lists.ts';
import { createSampleVerifier } from '../../src/sample/sample-verifier.ts';
import { NAMED } from '../../src/testing/answers.ts';
import { later, type Sandbox, startSandbox, undeliverable } from '../../src/testing/index.ts';
import { DISPOSABLE, ROLES, sampleReply } from '../../src/testing/sample/sample-reply.ts';
import { bodyOf } from '../../src/testing/script.ts';
import { withResolvers } from '../with-resolvers.ts';

let service: Sandbox;
beforeEach(async () => {
  service = await startSandbox();
});
afterEach(() => service.stop());

const ask = (email: string, init: RequestInit = {}) =>
  fetch(`${service.origin}/v1/verify?${new URLSearchParams({ email, api_key: 'test_key' })}`, init);
const resultFor = async (email: string) => (await ask(email)).json();

describe('answers', () => {
  it.each([
    ['deliverable', { state: 'deliverable' }],
    ['undeliverable', { state: 'undeliverable', score: 0 }],
    ['risky', { state: 'risky' }],
    ['unknown', { state: 'unknown' }],
    ['disposable', { disposable: true, state: 'deliverable' }],
    ['free', { free: true }],
    ['role', { role: true }],
    ['acceptAll', { accept_all: true }],
    ['noReply', { no_reply: true }],
    ['mailboxFull', { mailbox_full: true }],
  ] as const)('"%s" is a result with %o', async (name, fields) => {
    service.answer('joe+news@b.example', name);
    expect(await resultFor('joe+news@b.example')).toMatchObject({
      email: 'joe+news@b.example',
      user: 'joe',
      tag: 'news',
      domain: 'b.example',
      ...fields,
    });
  });

  it.each([
    ['slow', 249],
    ['badRequest', 400],
    ['unauthorized', 401],
    ['forbidden', 403],
    ['rateLimited', 429],
    ['serverError', 500],
    ['unavailable', 503],
  ] as const)('"%s" is a %i with a message', async (name, status) => {
    service.answer('a@b.example', name);
    const answer = await ask('a@b.example');
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ message: expect.stringMatching(/\w/) });
  });

  it('is a status, fields of a result, or a whole reply', async () => {
    service.answer('a@b.example', 418);
    service.answer('b@b.example', { state: 'risky', did_you_mean: 'b@c.example' });
    service.answer('c@b.example', {
      status: 503,
      headers: { 'retry-after': '7' },
      body: { message: 'Soon.' },
    });
    expect((await ask('a@b.example')).status).toBe(418);
    expect(await resultFor('b@b.example')).toMatchObject({
      state: 'risky',
      reason: 'low_quality',
      did_you_mean: 'b@c.example',
    });
    const answer = await ask('c@b.example');
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '7',
      { message: 'Soon.' },
    ]);
  });

  it('keeps the defaults of fields and parts that are undefined', async () => {
    service.answer('a@b.example', { state: 'risky', reason: undefined, score: undefined, free: undefined });
    service.answer('b@b.example', { status: 503, headers: undefined, body: undefined, cors: undefined });
    service.answer('c@b.example', undeliverable({ score: undefined, role: true }));
    expect(await resultFor('a@b.example')).toMatchObject({ reason: 'low_quality', score: 40, free: false });
    const answer = await ask('b@b.example', { headers: { origin: 'https://shop.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(await answer.json()).toEqual({ message: 'Status 503' });
    expect(await resultFor('c@b.example')).toMatchObject({ score: 0, role: true });
  });

  it('comes in turn if there are several, and the last one repeats', async () => {
    service.answer('a@b.example', ['slow', 'rateLimited'], undeliverable());
    const statuses = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await ask('a@b.example')).status);
    expect(statuses).toEqual([249, 429, 200, 200]);
  });

  it('is for one address, a domain or all, the most specific first, ignoring the domain’s case', async () => {
    service.answer('*', 'risky');
    service.answer('*@shop.example', 'unknown');
    service.answer('joe@shop.example', 'undeliverable');
    const states = [];
    for (const email of ['joe@SHOP.example', 'ann@shop.example', 'ann@b.example'])
      states.push((await resultFor(email)).state);
    expect(states).toEqual(['undeliverable', 'unknown', 'risky']);
  });

  it.each([
    ['deliverabel', 'one of deliverable, undeliverable'],
    [99, 'Expected a status'],
    [{ stat: 'risky' }, 'got stat'],
    [{ state: 'risky', delayMs: 5 }, 'got state, delayMs'],
  ])('refuses %o, and says what is expected', async (answer, message) => {
    expect(() => service.answer('a@b.example', answer as never)).toThrow(message);
    await expect(startSandbox({ answers: { 'a@b.example': answer as never } })).rejects.toThrow(message);
  });

  it.each(['drop', 'reset'] as const)('"%s" breaks the connection', async (name) => {
    service.answer('a@b.example', name);
    await expect(ask('a@b.example')).rejects.toThrow();
  });

  it('"stalled" stops in the middle of the body', async () => {
    service.answer('a@b.example', 'stalled');
    const controller = new AbortController();
    const answer = await ask('a@b.example', { signal: controller.signal });
    expect((await answer.body!.getReader().read()).value?.length).toBeGreaterThan(0);
    controller.abort();
  });

  it('"truncated" breaks the connection in the middle of the body', async () => {
    service.answer('a@b.example', 'truncated');
    const answer = await ask('a@b.example');
    await expect(answer.text()).rejects.toThrow();
  });

  it.each(['hang', 'stalled', 'dripping'] as const)(
    '"%s" never ends, and is told as given up',
    async (name) => {
      service.answer('a@b.example', name);
      const controller = new AbortController();
      const answer = ask('a@b.example', { signal: controller.signal }).then((response) => response.text());
      const request = await service.nextRequest();
      controller.abort();
      await expect(answer).rejects.toThrow('abort');
      await expect.poll(() => request.aborted).toBe(true);
    },
  );

  it('may be delayed', async () => {
    service.answer('late@b.example', later(60_000, undeliverable()));
    const controller = new AbortController();
    const late = ask('late@b.example', { signal: controller.signal }).catch((error: Error) => error.name);
    const request = await service.nextRequest();
    expect((await ask('a@b.example')).status).toBe(200);
    expect(request).toMatchObject({ answered: false, aborted: false });
    controller.abort();
    expect(await late).toBe('AbortError');
    service.answer('late@b.example', later(1, undeliverable()));
    expect(await resultFor('late@b.example')).toMatchObject({ state: 'undeliverable' });
  });

  it('"noCors" is unreadable for pages, "nonsense" is not JSON', async () => {
    service.answer('a@b.example', 'noCors');
    service.answer('b@b.example', 'nonsense');
    const headers = { origin: 'https://shop.example' };
    expect((await ask('a@b.example', { headers })).headers.get('access-control-allow-origin')).toBeNull();
    const nonsense = await ask('b@b.example', { headers });
    expect(nonsense.headers.get('content-type')).toBe('text/html');
    expect(nonsense.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    await expect(nonsense.json()).rejects.toThrow();
  });
});

describe('the sandbox', () => {
  it('records every request, with queries, forms and JSON', async () => {
    const url = `${service.url}v1/verify`;
    const fields = { email: 'd@e.example', timeout: '5', api_key: 'k' };
    await ask('a+b@c.example');
    await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
    await fetch(url, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json' },
    });
    expect(service.asked).toEqual(['a+b@c.example', 'd@e.example', 'd@e.example']);
    expect(await service.nextRequest()).toMatchObject({ method: 'GET', query: { api_key: 'test_key' } });
    expect(await service.nextRequest()).toMatchObject({ method: 'POST', query: {}, body: fields });
    expect(await service.nextRequest()).toMatchObject({ body: fields });
    await expect(service.nextRequest(1)).rejects.toThrow('Expected request 4 within 1 ms');
  });

  it('records preflights separately from requests', async () => {
    expect((await fetch(`${service.url}v1/verify`, { method: 'OPTIONS' })).status).toBe(204);
    expect([service.preflights.length, service.requests.length]).toEqual([1, 0]);
  });

  it('holds a request until it is released', async () => {
    service.hold('slow@b.example');
    const slow = ask('slow@b.example');
    await service.nextRequest();
    await ask('quick@b.example');
    service.answer('slow@b.example', 'undeliverable');
    service.release('slow@b.example');
    expect(await (await slow).json()).toMatchObject({ state: 'undeliverable' });
    expect(() => service.release('slow@b.example')).toThrow('Expected a held request for slow@b.example');
  });

  it('leaves the next request for the next call when a call of nextRequest() has timed out', async () => {
    await expect(service.nextRequest(1)).rejects.toThrow('Expected request 1 within 1 ms');
    await ask('a@b.example');
    expect((await service.nextRequest()).email).toBe('a@b.example');
  });

  it('gives calls of nextRequest() that wait together one request each, in order', async () => {
    const early = service.nextRequest(1);
    const both = [service.nextRequest(), service.nextRequest()];
    await expect(early).rejects.toThrow('Expected request 1');
    await ask('a@b.example');
    await ask('c@d.example');
    const emails = (await Promise.all(both)).map(({ email }) => email);
    expect(emails).toEqual(['a@b.example', 'c@d.example']);
    await expect(service.nextRequest(1)).rejects.toThrow(
      'Expected request 3 within 1 ms. Requests so far: a@b.example, c@d.example.',
    );
  });

  it('leaves no rejected promise when a POST ends before its body is complete', async () => {
    const { promise: outcome, resolve: ended } = withResolvers<unknown>();
    const server = createServer((request, response) => {
      service.handle(request, response).then(() => ended('handled'), ended);
      half.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const half = startRequest({
      port,
      method: 'POST',
      path: '/v1/verify',
      headers: { 'content-length': 100 },
    });
    half.on('error', () => {});
    half.write('email=a@');
    expect(await outcome).toBe('handled');
    expect(service.requests).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

  it.each(['v2', `v${version}`])('serves what the service serves below /%s', async (folder) => {
    const types: Record<string, string> = {};
    for (const name of [
      ...['', '/', '/widget.js', '/widget.js.map', '/index.js', '/locales/de.js', '/locales/de.mjs'],
      ...['/captcha/recaptcha-v2.js', '/captcha/turnstile.mjs', '/integrity.json', '/debug.mjs'],
      ...['/email-verify-widget-status.js', '/widget-standalone.js', '/email-verify-widget-debug.js'],
    ]) {
      const answer = await fetch(service.url + folder + name);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      types[name.replace(/^.*\./, '')] = answer.headers.get('content-type')!;
    }
    expect(types).toMatchObject({
      js: 'text/javascript; charset=utf-8',
      mjs: 'text/javascript; charset=utf-8',
      json: 'application/json; charset=utf-8',
      map: 'application/json; charset=utf-8',
    });
  });

  it.each([
    'barrier',
    'v2/../package.json',
    'v2/%2e%2e/package.json',
    'v2/react.js',
    'v2/locales/nowhere.js',
    'v2.0.99/widget.js',
    'v1/widget.js',
    '/',
  ])('serves nothing at /%s', async (path) => {
    expect((await fetch(service.url + path)).status).toBe(404);
  });

  it('stops with stop(), and at the end of its scope', async () => {
    const other = await startSandbox();
    await other[Symbol.asyncDispose]();
    await other.stop();
    await expect(fetch(other.url)).rejects.toThrow();
  });
});

describe('an address without a scripted answer', () => {
  const ofSandbox = async (address: string) => {
    const reply = await sampleReply(address, { api_key: 'k' }, undefined);
    return reply.status === 200 ? JSON.parse(bodyOf(reply, address)) : reply.status;
  };
  const sampleVerifier = createSampleVerifier(createFacts(loadPublishedLists()));
  const ofService = async (address: string) =>
    (await sampleVerifier({ address, smtp: true, acceptAll: false, timeoutMs: 5000 })).result ?? 249;

  it.each([
    ...['deliverable', 'undeliverable', 'risky', 'unknown', 'role', 'free', 'accept-all', 'disposable'],
    ...['slow', 'deliverable+tag', 'DELIVERABLE'],
  ])('gets the same result as from the service’s test key: %s@example.com', async (user) => {
    expect(await ofSandbox(`${user}@example.com`)).toEqual(await ofService(`${user}@example.com`));
  });

  it.each([
    ...DISPOSABLE.map((domain) => `joe@${domain}`),
    ...ROLES.map((role) => `${role}@b.example`),
    ...['no-reply@b.example', 'jane.doe@gmail.com', 'a@fastmail.com', 'joe@gmial.com', 'a@hotmial.com'],
    ...['joe@nowhere', 'joe', 'a@b@c.example', 'a b@c.example', 'jürgen@müller.example', '"a b"@c.example'],
  ])('also does if it is well known or odd: %s', async (address) => {
    expect(await ofSandbox(address)).toEqual(await ofService(address));
  });

  it('also does for any other address', async () => {
    for (let at = 0; at < 300; at++) {
      const address = `visitor-${at}@company-${at % 7}.example`;
      expect(await ofSandbox(address)).toEqual(await ofService(address));
    }
  });

  it('is refused without a key, an address, or with an impossible timeout', async () => {
    const statuses = [];
    for (const query of ['email=a@b.example', 'api_key=k', 'api_key=k&email=a@b.example&timeout=11'])
      statuses.push((await fetch(`${service.origin}/v1/verify?${query}`)).status);
    expect(statuses).toEqual([401, 400, 400]);
  });
});

it('documents every name', () => {
  const docs = readFileSync('docs/testing.md', 'utf8');
  expect(Object.keys(NAMED).filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});
