/** What browsers are told not to do with an answer, on answers of every kind there is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { converse, type ListeningService, listenService, type RawAnswer } from '../raw.ts';
import { UNFINISHED } from '../testing.ts';

const demoFolder = mkdtempSync(join(tmpdir(), 'headers-test-'));
mkdirSync(join(demoFolder, 'pages'));
writeFileSync(join(demoFolder, 'index.html'), '<!doctype html>');
writeFileSync(join(demoFolder, 'demo.js'), '');
afterAll(() => rmSync(demoFolder, { recursive: true }));

const widgetFiles = [{ path: 'widget.js', content: Buffer.from('widget') }];

let service: ListeningService;
let impatient: ListeningService;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const sampleVerifier = async ({ address }: { address: string }) => {
    if (address.startsWith('slow')) return UNFINISHED;
    throw new Error('broken');
  };
  service = await listenService({ demoFolder, widgetFiles, sampleVerifier, trustProxy: true }, (end) =>
    ends.push(end),
  );
  impatient = await listenService({ timeouts: { head: 60, request: 60 } }, (end) => ends.push(end));
});
afterAll(async () => {
  for (const end of ends) await end();
});

async function answerTo(text: string, { port } = service): Promise<RawAnswer> {
  const [answer] = await converse(port, [text]).closed;
  return answer!;
}

const ask = (line: string, headers = '') =>
  answerTo(`${line} HTTP/1.1\r\nHost: api.example\r\n${headers}\r\n`);
const VERIFY = '/v1/verify?api_key=test_private&email=';

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-permitted-cross-domain-policies': 'none',
  vary: expect.stringMatching(/^(Origin|Accept-Encoding)$/),
};
const DATA = {
  ...ALWAYS,
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};
const PAGE = {
  ...ALWAYS,
  'content-security-policy': expect.stringMatching(
    /^default-src 'none';(?!.*unsafe).*frame-ancestors 'self'/,
  ),
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
};
const NEVER_KEPT = { 'cache-control': 'no-store' };

const ANSWERS: readonly (readonly [
  what: string,
  status: number,
  headers: object,
  answer: () => Promise<RawAnswer>,
])[] = [
  ['that asks to come again', 249, { ...DATA, ...NEVER_KEPT }, () => ask(`GET ${VERIFY}slow@example.com`)],
  [
    'to a preflight',
    204,
    { ...DATA, ...NEVER_KEPT },
    () => ask('OPTIONS /v1/verify', 'Origin: https://shop.example\r\n'),
  ],
  ['to a wrong parameter', 400, { ...DATA, ...NEVER_KEPT }, () => ask(`GET ${VERIFY}&timeout=99`)],
  ['to a broken escape', 400, { ...DATA, ...NEVER_KEPT }, () => ask('GET /v1/%zz')],
  ['to a second host', 400, { ...DATA, ...NEVER_KEPT }, () => ask('GET /v1/verify', 'Host: b\r\n')],
  ['to nonsense', 400, { ...DATA, ...NEVER_KEPT }, () => answerTo('nonsense\r\n\r\n')],
  ['without a key', 401, { ...DATA, ...NEVER_KEPT }, () => ask('GET /v1/verify')],
  ['to an unknown key', 403, { ...DATA, ...NEVER_KEPT }, () => ask('GET /v1/verify?api_key=x')],
  ['where nothing is', 404, { ...DATA, ...NEVER_KEPT }, () => ask('GET /v1/nothing')],
  ['where no page is', 404, { ...DATA, ...NEVER_KEPT }, () => ask('GET /nothing.html')],
  ['to a wrong method', 405, { ...DATA, ...NEVER_KEPT }, () => ask('PUT /v1/verify')],
  ['to a request for a tunnel', 405, { ...DATA, ...NEVER_KEPT }, () => ask('CONNECT a:25')],
  ['to a slow client', 408, { ...DATA, ...NEVER_KEPT }, () => answerTo('GET / HT', impatient)],
  [
    'to too large a body',
    413,
    { ...DATA, ...NEVER_KEPT },
    () => ask(`POST ${VERIFY}`, 'Content-Type: application/json\r\nContent-Length: 999999\r\n'),
  ],
  [
    'to a body of another type',
    415,
    { ...DATA, ...NEVER_KEPT },
    () => ask(`POST ${VERIFY}`, 'Content-Type: text/plain\r\nContent-Length: 0\r\n'),
  ],
  ['to an odd expectation', 417, { ...DATA, ...NEVER_KEPT }, () => ask(`GET ${VERIFY}`, 'Expect: x\r\n')],
  [
    'to too large a head',
    431,
    { ...DATA, ...NEVER_KEPT },
    () => ask(`GET ${VERIFY}`, `X: ${'x'.repeat(20_000)}\r\n`),
  ],
  ['to a fault of ours', 500, { ...DATA, ...NEVER_KEPT }, () => ask(`GET ${VERIFY}jane@company.example`)],
  [
    'to a live key',
    503,
    { ...DATA, ...NEVER_KEPT },
    () => ask(`GET ${VERIFY.replace('test', 'live')}jane@company.example`),
  ],
  ['that is the script', 200, DATA, () => ask('GET /v2/')],
  ['about the script', 204, DATA, () => ask('OPTIONS /v2/')],
  ['that is a page', 200, PAGE, () => ask('GET /')],
  ['that is a page’s script', 200, PAGE, () => ask('GET /demo.js')],
];

describe('an answer', () => {
  it.each(ANSWERS)('%s, a %i', async (_what, status, expected, answer) => {
    const { status: got, headers } = await answer();
    expect([got, headers]).toMatchObject([status, expected]);
    expect(headers).not.toHaveProperty('server');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('that says there is nothing new says no less', async () => {
    for (const [url, expected] of [
      ['/v2/', DATA],
      ['/', PAGE],
    ] as const) {
      const { headers } = await ask(`GET ${url}`);
      expect(await ask(`GET ${url}`, `If-None-Match: ${headers.etag}\r\n`)).toMatchObject({
        status: 304,
        headers: expected,
      });
    }
  });

  it('that came through a proxy over TLS asks for nothing but TLS, for this host alone', async () => {
    const forwarded = 'X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n';
    for (const line of ['GET /v1/verify', 'GET /v2/', 'GET /']) {
      const { headers } = await ask(line, forwarded);
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
    }
  });
});
