/** What browsers are told not to do with an answer, on answers of every kind there is. */
import { afterAll, describe, expect, it } from 'vitest';
import { createFolder } from '../../folder.ts';
import { converse, listenService, type RawAnswer } from '../raw.ts';
import { UNFINISHED } from '../testing.ts';

const { path: demoFolder, write } = createFolder();
write('index.html', '<!doctype html>');
write('demo.js', '');

const widgetFiles = [{ path: 'widget.js', content: Buffer.from('widget') }];

const sampleVerifier = async ({ address }: { address: string }) => {
  if (address.startsWith('slow')) return UNFINISHED;
  throw new Error('broken');
};
const options = { demoFolder, widgetFiles, sampleVerifier, trustProxy: true };
const service = await listenService(options, afterAll);
const impatient = await listenService({ timeouts: { head: 60, request: 60 } }, afterAll);

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
const OF_API = { ...DATA, 'cache-control': 'no-store' };
const LARGE = 'Content-Type: application/json\r\nContent-Length: 999999\r\n';
const TEXT = 'Content-Type: text/plain\r\nContent-Length: 0\r\n';

type Row = readonly [what: string, status: number, headers: object, answer: () => Promise<RawAnswer>];
const ANSWERS: readonly Row[] = [
  ['that asks to come again', 249, OF_API, () => ask(`GET ${VERIFY}slow@example.com`)],
  ['to a preflight', 204, OF_API, () => ask('OPTIONS /v1/verify', 'Origin: https://shop.example\r\n')],
  ['to a wrong parameter', 400, OF_API, () => ask(`GET ${VERIFY}&timeout=99`)],
  ['to a broken escape', 400, OF_API, () => ask('GET /v1/%zz')],
  ['to a second host', 400, OF_API, () => ask('GET /v1/verify', 'Host: b\r\n')],
  ['to nonsense', 400, OF_API, () => answerTo('nonsense\r\n\r\n')],
  ['without a key', 401, OF_API, () => ask('GET /v1/verify')],
  ['to an unknown key', 403, OF_API, () => ask('GET /v1/verify?api_key=x')],
  ['where nothing is', 404, OF_API, () => ask('GET /v1/nothing')],
  ['where no page is', 404, OF_API, () => ask('GET /nothing.html')],
  ['to a wrong method', 405, OF_API, () => ask('PUT /v1/verify')],
  ['to a request for a tunnel', 405, OF_API, () => ask('CONNECT a:25')],
  ['to a slow client', 408, OF_API, () => answerTo('GET / HT', impatient)],
  ['to too large a body', 413, OF_API, () => ask(`POST ${VERIFY}`, LARGE)],
  ['to a body of another type', 415, OF_API, () => ask(`POST ${VERIFY}`, TEXT)],
  ['to an odd expectation', 417, OF_API, () => ask(`GET ${VERIFY}`, 'Expect: x\r\n')],
  ['to too large a head', 431, OF_API, () => ask(`GET ${VERIFY}`, `X: ${'x'.repeat(20_000)}\r\n`)],
  ['to a fault of ours', 500, OF_API, () => ask(`GET ${VERIFY}jane@company.example`)],
  ['to a live key', 503, OF_API, () => ask(`GET ${VERIFY.replace('test', 'live')}jane@company.example`)],
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
      const again = await ask(`GET ${url}`, `If-None-Match: ${headers.etag}\r\n`);
      expect(again).toMatchObject({ status: 304, headers: expected });
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
