import { describe, expect, it } from 'vitest';
import { FORM, failureOf, multipart, startService } from '../testing.ts';

const VERIFY = '/v1/verify?api_key=test_private';
const post = (type: string, payload: string, url = VERIFY) =>
  startService().ask({ method: 'POST', url, headers: { 'content-type': type }, payload });

// `malformed-requests.test.ts` has what is wrong with the bytes of a request.
describe('a request that cannot be read', () => {
  const odd = multipart([['__proto__', 'x']]);
  it.each([
    ['a JSON list', 'application/json', '[]'],
    ['null', 'application/json', 'null'],
    ['an address in a list', 'application/json', '{"email":["a@b.example"]}'],
    ['a number for an address', 'application/json', '{"email":1}'],
    ['a number for a key', 'application/json', '{"email":"a@b.example","api_key":1}'],
    ['the prototype’s name', 'application/json', '{"__proto__":{"email":"a@b.example"}}'],
    ['multipart with the prototype’s name', odd.type, odd.payload],
  ])('is a 400: %s', async (_, type, payload) => {
    expect(failureOf(await post(type, payload))).toEqual([400, expect.stringMatching(/^Expected /)]);
  });

  it('is no failure for being empty', async () => {
    for (const type of ['application/json', FORM]) {
      expect((await post(type, '', `${VERIFY}&email=a@b.example`)).statusCode).toBe(200);
    }
  });
});

describe('odd texts get a result', () => {
  it.each([
    'a\u0000b@c.example',
    '\uD800@c.example',
    '__proto__@c.example',
    'x'.repeat(10_000),
    '\u202E@c.example',
    '💩@💩.example',
  ])('%j', async (email) => {
    const answer = await post('application/json', JSON.stringify({ email }));
    expect([answer.statusCode, answer.json().email]).toEqual([200, email]);
  });
});

describe('an address where nothing is', () => {
  it.each(['/', '/v1', '/v1/verify/', '/V1/VERIFY', '//v1/verify', '/v1/batches', '/v2/'])(
    'is a 404: %s',
    async (url) => {
      const message = 'This URL does not exist. Check its spelling.';
      expect(failureOf(await startService().ask({ url }))).toEqual([404, message]);
    },
  );

  it.each(['PUT', 'PATCH', 'DELETE', 'TRACE'] as const)(
    'is a 405 for %s where other methods are',
    async (method) => {
      const answer = await startService().ask({ method: method as 'PUT', url: '/v1/verify?x=1' });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    },
  );

  it('is told before the body is looked at', async () => {
    const request = { method: 'PUT', headers: { 'content-type': 'application/json' }, payload: '{' } as const;
    expect((await startService().ask({ ...request, url: '/v1/verify' })).statusCode).toBe(405);
    expect((await startService().ask({ ...request, url: '/nothing' })).statusCode).toBe(404);
  });
});
