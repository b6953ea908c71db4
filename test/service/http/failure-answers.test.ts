import { describe, expect, it } from 'vitest';
import { FORM, failureOf, multipart, startService } from '../testing.ts';

const VERIFY = '/v1/verify?api_key=test_private';
const post = (type: string | undefined, payload: string | Buffer, url = VERIFY) =>
  startService().ask({
    method: 'POST',
    url,
    headers: type === undefined ? {} : { 'content-type': type },
    payload,
  });

describe('a request that cannot be read', () => {
  it.each([
    ['a broken escape in the query', `${VERIFY}&email=%zz`],
    ['bytes that are no UTF-8', `${VERIFY}&email=%ff@company.example`],
    ['a broken escape in the path', '/v1/%zz'],
  ])('is a 400: %s', async (_, url) => {
    const answer = await startService().ask({ url });
    expect(failureOf(answer)).toEqual([400, expect.any(String)]);
    expect(Object.keys(answer.json())).toEqual(['message']);
    expect(answer.headers).toMatchObject({ vary: 'Origin', 'cache-control': 'no-store' });
  });

  it.each([
    ['JSON that breaks off', 'application/json', '{'],
    ['a JSON list', 'application/json', '[]'],
    ['null', 'application/json', 'null'],
    ['a name twice', 'application/json', '{"email":"a@b.example","email":"c@d.example"}'],
    ['an address in a list', 'application/json', '{"email":["a@b.example"]}'],
    ['a number for an address', 'application/json', '{"email":1}'],
    ['a number for a key', 'application/json', '{"email":"a@b.example","api_key":1}'],
    ['the prototype’s name', 'application/json', '{"__proto__":{"email":"a@b.example"}}'],
    ['a form with a broken escape', FORM, 'email=%zz'],
    ['a form of bytes that are no UTF-8', FORM, Buffer.from('email=\xff', 'latin1')],
    ['JSON of bytes that are no UTF-8', 'application/json', Buffer.from('{"email":"\xff"}', 'latin1')],
    [
      'multipart of bytes that are no UTF-8',
      multipart([]).type,
      Buffer.from(multipart([['email', '\xff']]).payload, 'latin1'),
    ],
    ['multipart without an edge', 'multipart/form-data', 'x'],
    ['multipart that breaks off', 'multipart/form-data; boundary=edge', '--edge\r\nx'],
    [
      'multipart with the prototype’s name',
      multipart([['__proto__', 'x']]).type,
      multipart([['__proto__', 'x']]).payload,
    ],
    [
      'a file',
      'multipart/form-data; boundary=edge',
      '--edge\r\nContent-Disposition: form-data; name="email"; filename="a"\r\n\r\nx\r\n--edge--\r\n',
    ],
  ])('is a 400: %s', async (_, type, payload) => {
    expect(failureOf(await post(type, payload))).toEqual([400, expect.stringMatching(/^Expected /)]);
  });

  it.each(['text/plain', 'text/xml', 'nonsense', undefined])(
    'is a 415 with a body of type %s',
    async (type) => {
      expect(failureOf(await post(type, 'email=a@b.example'))).toEqual([
        415,
        expect.stringContaining('application/json'),
      ]);
    },
  );

  it.each(['application/json', FORM, 'multipart/form-data; boundary=edge'])(
    'is a 413 when its %s is too large',
    async (type) => {
      const payload = type.startsWith('multipart')
        ? multipart([['email', 'x'.repeat(70_000)]]).payload
        : 'x'.repeat(70_000);
      expect((await post(type, payload)).statusCode).toBe(413);
    },
  );

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
      expect(failureOf(await startService().ask({ url }))).toEqual([
        404,
        'This URL does not exist. Check its spelling.',
      ]);
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
