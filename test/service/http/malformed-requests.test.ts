/** Everything that can be wrong with a request, over real connections: each gets a clear answer, and is the last to suffer from it. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { converse, listenService } from '../raw.ts';
import { FORM, multipart, UNFINISHED } from '../testing.ts';

const QUERY = '/v1/verify?api_key=test_private&email=jane@company.example';
const NO_EMAIL = '/v1/verify?api_key=test_private';
const HOST = 'Host: api.example\r\n';
const JSON_TYPE = 'application/json';

const service = await listenService({}, afterAll);

type Pieces = readonly (string | Buffer)[];

/** A request without a body. */
const get = (target: string | Buffer, headers = HOST, version = 'HTTP/1.1'): Pieces => [
  'GET ',
  target,
  ` ${version}\r\n${headers}\r\n`,
];

/** A request with a body and its true length. */
function post(type: string | undefined, body: string | Buffer, target = NO_EMAIL, headers = ''): Pieces {
  const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return [`POST ${target} HTTP/1.1\r\n${HOST}${typeLine}${headers}${length}\r\n`, body];
}

/** A request whose headers are left to the test. */
const ask = (headers: string, method = 'POST', ...rest: Pieces): Pieces => [
  `${method} ${QUERY} HTTP/1.1\r\n${HOST}${headers}\r\n\r\n`,
  ...rest,
];

/** A request with a body in chunks, of what lengths is left to the test. */
const postChunked = (type: string, chunks: Pieces, headers = ''): Pieces => [
  `POST ${NO_EMAIL} HTTP/1.1\r\n${HOST}Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`,
  ...chunks,
];

const chunk = (content: string): string => `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`;

const parts = (count: number) =>
  multipart(Array.from({ length: count }, (_, index) => [`name${index}`, 'x'] as const)).payload;

const EDGE = 'multipart/form-data; boundary=edge';
const bytes = (text: string) => Buffer.from(text, 'latin1');
const TLS_HELLO = bytes('\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03');
const MEGABYTES = 'x'.repeat(4_000_000);
const IN_UTF_16 = Buffer.from('{"email":"jane@company.example"}', 'utf16le');
const TWO_FIELDS = multipart([
  ['a', 'x'.repeat(35_000)],
  ['b', 'x'.repeat(35_000)],
]).payload;
const LARGE_FIELD = multipart([['email', MEGABYTES]]).payload;
const NOT_UTF_8 = multipart([['email', '\xff']]).payload;
const PUBLIC = QUERY.replace('private', 'public');
const PUT_AT_SERVER = `PUT http://api.example${QUERY} HTTP/1.1\r\n${HOST}\r\n`;
const ZIPPED = gzipSync('{"email":"jane@company.example"}');
const CHUNKED = 'Transfer-Encoding: chunked';
const CHUNKED_OLD = `POST ${QUERY} HTTP/1.0\r\n${HOST}Content-Type: ${JSON_TYPE}\r\n${CHUNKED}\r\n\r\n`;
const EXTENDED = `1;${'x'.repeat(100_000)}\r\n{\r\n`;
const DEEP_LISTS = `{"email":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
const DEEP_OBJECTS = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
const TWO_CREDENTIALS = `${HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n`;

/** What is wrong → what to say, the status, and what the answer's message has to speak of. */
const MALFORMED: readonly (readonly [what: string, status: number, about: RegExp, pieces: Pieces])[] = [
  // The first line
  ['nonsense for a first line', 400, /method/, ['nonsense\r\n\r\n']],
  ['the beginning of a TLS connection', 400, /method/, [TLS_HELLO]],
  ['the beginning of HTTP/2', 400, /well-formed/, ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['a method that there is not', 400, /method/, [`FETCH ${QUERY} HTTP/1.1\r\n${HOST}\r\n`]],
  ['a method in lower case', 400, /method/, [`get ${QUERY} HTTP/1.1\r\n${HOST}\r\n`]],
  ['a method that is not for this', 405, /Allow/, [`PROPFIND ${QUERY} HTTP/1.1\r\n${HOST}\r\n`]],
  ['such a method, with the server named in its target', 405, /Allow/, [PUT_AT_SERVER]],
  ['a request for a tunnel', 405, /not a proxy/, [`CONNECT mail.example:25 HTTP/1.1\r\n${HOST}\r\n`]],
  ['a version that there is not', 400, /HTTP\/1\.1/, get(QUERY, HOST, 'HTTP/3.7')],
  ['no version', 400, /Host/, ['GET /\r\n\r\n']],
  ['lines that end with LF only', 400, /HTTP\/1\.1/, [`GET ${QUERY} HTTP/1.1\nHost: api.example\n\n`]],
  // The target
  ['an asterisk for a target', 404, /does not exist/, [`OPTIONS * HTTP/1.1\r\n${HOST}\r\n`]],
  ['an absolute target of another kind', 404, /does not exist/, get('ftp://api.example/v1/verify')],
  ['a NUL in the path', 400, /percent-encoded/, get('/v1/\0verify')],
  ['an escaped NUL in the path', 404, /does not exist/, get('/v1/%00verify')],
  ['a broken escape in the path', 400, /encoding/, get('/v1/%zz')],
  ['a broken escape in the query', 400, /percent-encoding in the query/, get(`${QUERY}&smtp=%`)],
  ['an escape that is no UTF-8', 400, /UTF-8/, get(`${NO_EMAIL}&email=%ff@company.example`)],
  ['an escaped half of a pair', 400, /UTF-8/, get(`${NO_EMAIL}&email=%ed%a0%80@company.example`)],
  ['bytes beyond ASCII in the query', 400, /percent-encoded/, get(bytes(`${QUERY}\xff`))],
  ['a NUL in the query', 400, /percent-encoded/, get(`${QUERY}\0`)],
  ['an escaped NUL in a parameter', 400, /timeout/, get(`${QUERY}&timeout=%00`)],
  ['a space in the query', 400, /HTTP\/1\.1/, get(`${QUERY}&smtp= true`)],
  ['a query of 20 KB', 431, /16 KiB/, get(`${QUERY}&x=${'x'.repeat(20_000)}`)],
  ['a query of 4 MB', 431, /16 KiB/, get(`${QUERY}&x=${MEGABYTES}`)],
  ['a parameter that is there twice', 400, /one value for timeout/, get(`${QUERY}&timeout=2&timeout=3`)],
  ['an address that is there twice', 400, /one value for email/, get(`${QUERY}&email=joe@company.example`)],
  ['a key that is there twice', 400, /one credential/, get(`${QUERY}&api_key=test_other`)],
  ['a parameter of another type', 400, /smtp to be true or false/, get(`${QUERY}&smtp=maybe`)],
  ['a parameter as a list', 400, /email to be/, get(`${NO_EMAIL}&email[]=jane@company.example`)],
  // Headers
  ['no host', 400, /Host/, get(QUERY, '')],
  ['two hosts', 400, /one Host header, got 2/, get(QUERY, `${HOST}Host: other.example\r\n`)],
  ['the same host twice', 400, /one Host header, got 2/, get(QUERY, HOST + HOST)],
  ['a host that is none', 400, /host name/, get(QUERY, 'Host: a b\r\n')],
  ['a host with a user', 400, /host name/, get(QUERY, 'Host: jane@api.example\r\n')],
  ['a host with a path', 400, /host name/, get(QUERY, 'Host: api.example/v1\r\n')],
  ['two credentials', 400, /one Authorization/, get(QUERY, TWO_CREDENTIALS)],
  ['a NUL in a header', 400, /control characters/, get(QUERY, `${HOST}X: a\0b\r\n`)],
  ['a header without a colon', 400, /Name: value/, get(QUERY, `${HOST}nonsense\r\n`)],
  ['a header without a name', 400, /Name: value/, get(QUERY, `${HOST}: value\r\n`)],
  ['a space before the colon', 400, /Name: value/, get(QUERY, 'Host : api.example\r\n')],
  ['a header on two lines', 400, /on one line/, get(QUERY, `${HOST}X: a\r\n b\r\n`)],
  ['101 headers', 431, /100 headers/, get(QUERY, HOST + 'X: y\r\n'.repeat(100))],
  ['3,000 headers', 431, /100 headers/, get(QUERY, HOST + 'a:\r\n'.repeat(3000))],
  ['a flood of headers', 431, /100 headers/, get(QUERY, HOST + 'X-Header: value\r\n'.repeat(200_000))],
  ['a header of 20 KB', 431, /16 KiB/, get(QUERY, `${HOST}X: ${'x'.repeat(20_000)}\r\n`)],
  ['a header of 4 MB', 431, /16 KiB/, get(QUERY, `${HOST}X: ${MEGABYTES}\r\n`)],
  ['an expectation that there is not', 417, /100-continue/, get(QUERY, `${HOST}Expect: the best\r\n`)],
  ['an origin that is none', 403, /not accepted/, get(PUBLIC, `${HOST}Origin: \xff\xfe\r\n`)],
  [
    'a compressed body',
    415,
    /not compressed/,
    post(JSON_TYPE, ZIPPED, NO_EMAIL, 'Content-Encoding: gzip\r\n'),
  ],
  // The length of a body
  ['a length that is no number', 400, /length/, ask('Content-Length: ten')],
  ['a length below zero', 400, /length/, ask('Content-Length: -1')],
  ['a length beyond all numbers', 400, /length/, ask(`Content-Length: ${'9'.repeat(30)}`)],
  ['two lengths that differ', 400, /length/, ask('Content-Length: 1\r\nContent-Length: 2', 'POST', '{}')],
  ['a length and chunks', 400, /length/, postChunked(JSON_TYPE, ['0\r\n\r\n'], 'Content-Length: 3\r\n')],
  ['chunks and a length', 400, /length/, ask(`Content-Length: 3\r\n${CHUNKED}`, 'POST', '0\r\n\r\n')],
  ['an encoding that is not the last', 400, /length/, ask('Transfer-Encoding: chunked, gzip')],
  ['an encoding that there is not', 400, /length/, ask('Transfer-Encoding: xchunked')],
  [
    'an encoding that would have to be undone',
    400,
    /length/,
    [
      ...ask(`Content-Type: ${JSON_TYPE}\r\nTransfer-Encoding: gzip, chunked`),
      `${chunk('{}')}0\r\n\r\n`,
      // A proxy could take this for a part of the body.
      ...get(QUERY),
    ],
  ],
  ['chunks in HTTP/1.0, which has none', 400, /length/, [CHUNKED_OLD, `${chunk('{}')}0\r\n\r\n`]],
  ['a chunk whose size is no number', 400, /hexadecimal/, postChunked(JSON_TYPE, ['zz\r\n{}\r\n'])],
  ['a chunk whose size is beyond all numbers', 400, /./, postChunked(JSON_TYPE, [`${'f'.repeat(40)}\r\n`])],
  ['a chunk that is longer than its size', 400, /./, postChunked(JSON_TYPE, ['1\r\n{}\r\n0\r\n\r\n'])],
  ['chunks with endless extensions', 413, /64 KiB/, postChunked(JSON_TYPE, [EXTENDED])],
  // The body
  ['a body of 70 KB', 413, /64 KiB/, post(JSON_TYPE, 'x'.repeat(70_000))],
  ['a body of 4 MB', 413, /64 KiB/, post(JSON_TYPE, MEGABYTES)],
  ['a form of 4 MB', 413, /64 KiB/, post(FORM, MEGABYTES)],
  ['chunks of 4 MB', 413, /64 KiB/, postChunked(JSON_TYPE, [chunk(MEGABYTES), '0\r\n\r\n'])],
  ['a body without a type', 415, /application\/json/, post(undefined, '{}')],
  ['a body of another type', 415, /application\/json/, post('text/plain', '{}')],
  ['a body of a type that is none', 415, /application\/json/, post('json', '{}')],
  ['a body of XML', 415, /application\/json/, post('text/xml', '<a/>')],
  ['two types', 400, /one Content-Type/, post(JSON_TYPE, '{}', NO_EMAIL, `Content-Type: ${FORM}\r\n`)],
  ['JSON that breaks off', 400, /JSON/, post(JSON_TYPE, '{"email":')],
  ['JSON with a NUL', 400, /JSON/, post(JSON_TYPE, '{"email":"\0"}')],
  ['JSON in UTF-16', 400, /UTF-8/, post(JSON_TYPE, IN_UTF_16)],
  ['JSON with bytes that are no UTF-8', 400, /UTF-8/, post(JSON_TYPE, bytes('{"email":"\xff"}'))],
  ['JSON that is no object', 400, /object/, post(JSON_TYPE, '"jane@company.example"')],
  ['JSON with a name twice', 400, /twice/, post(JSON_TYPE, '{"email":"a@b.example","email":"a@b.example"}')],
  ['JSON 10,000 lists deep', 400, /within each other/, post(JSON_TYPE, DEEP_LISTS)],
  ['JSON 10,000 objects deep', 400, /within each other/, post(JSON_TYPE, DEEP_OBJECTS)],
  ['JSON that is 60,000 opening brackets', 400, /JSON/, post(JSON_TYPE, '['.repeat(60_000))],
  ['a form with a broken escape', 400, /percent-encoding in the body/, post(FORM, 'email=%zz')],
  ['a form with bytes that are no UTF-8', 400, /UTF-8/, post(FORM, bytes('email=\xff'))],
  ['a form with an address twice', 400, /one value for email/, post(FORM, 'email=a@b.example&email=c@d.e')],
  ['multipart without a boundary', 400, /multipart/, post('multipart/form-data', parts(1))],
  ['multipart with another boundary', 400, /multipart/, post(EDGE, '--brim\r\n\r\n--brim--\r\n')],
  ['multipart that breaks off', 400, /multipart/, post(EDGE, parts(1).slice(0, -10))],
  ['multipart with bytes that are no UTF-8', 400, /UTF-8/, post(EDGE, bytes(NOT_UTF_8))],
  [
    'multipart with a file',
    400,
    /file/,
    post(EDGE, parts(1).replace('"name0"', '"email"; filename="a.txt"')),
  ],
  ['multipart with 21 fields', 413, /20 fields/, post(EDGE, parts(21))],
  ['multipart of 4 MB', 413, /64 KiB/, post(EDGE, LARGE_FIELD)],
  ['multipart of 4 MB in chunks', 413, /64 KiB/, postChunked(EDGE, [chunk(LARGE_FIELD), '0\r\n\r\n'])],
  ['multipart with 70 KB in two fields', 413, /64 KiB/, postChunked(EDGE, [chunk(TWO_FIELDS), '0\r\n\r\n'])],
];

describe('a request with', () => {
  it.each(MALFORMED)('%s is a %i', async (_what, status, about, pieces) => {
    const answers = await converse(service.port, pieces).closed;
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    const [{ headers, body }] = answers as [(typeof answers)[0]];
    expect(Object.keys(JSON.parse(body))).toEqual(['message']);
    expect(JSON.parse(body).message).toMatch(about);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
    });
    await expectGoodAnswer();
  });
});

async function expectGoodAnswer(): Promise<void> {
  const [answer] = await converse(service.port, get(QUERY)).closed;
  expect([answer?.status, JSON.parse(answer?.body ?? '{}').email]).toEqual([200, 'jane@company.example']);
}

describe('a request that is only unusual is answered', () => {
  const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const JANE = '{"email":"jane@company.example"}';
  const LONG = JSON.stringify({ email: `${'"'.repeat(30_000)}@company.example` });
  it.each<[string, Pieces]>([
    ['in HTTP/1.0, without a host', get(QUERY, '', 'HTTP/1.0')],
    ['with an empty host', get(QUERY, 'Host:\r\n')],
    ['with an IPv6 host', get(QUERY, 'Host: [::1]:8080\r\n')],
    ['with the server named in its target', get(`http://api.example${QUERY}`)],
    ['that would rather speak another protocol', get(QUERY, HOST + UPGRADE)],
    ['with empty lines before it', ['\r\n\r\n', ...get(QUERY)]],
    ['with a body on a GET', ask('Content-Length: 2', 'GET', '{}')],
    ['that asks before it sends its body', post(JSON_TYPE, '{}', QUERY, 'Expect: 100-continue\r\n')],
    ['with an escaped NUL in the address', get(`${QUERY}%00`)],
    ['with its body in chunks of one byte', postChunked(JSON_TYPE, [...[...JANE].map(chunk), '0\r\n\r\n'])],
    ['with 99 headers', get(QUERY, HOST + 'X: y\r\n'.repeat(98))],
    ['with 60 KB of an address', post(JSON_TYPE, LONG)],
  ])('%s', async (_, pieces) => {
    const [answer] = await converse(service.port, pieces).closed;
    expect(answer?.status).toBe(200);
  });

  it('and the one after it on the same connection as well', async () => {
    const { closed } = converse(service.port, [...get(QUERY), ...get('/v1/%zz'), ...get(QUERY)], 3);
    expect((await closed).map(({ status }) => status)).toEqual([200, 400, 200]);
  });

  it('byte by byte', async () => {
    const text = get(QUERY).join('');
    expect((await converse(service.port, [...text]).closed)[0]?.status).toBe(200);
  });
});

it('answers what was asked before nonsense, then says that it is nonsense, and no more', async () => {
  const { closed } = converse(service.port, [...get(QUERY), 'nonsense\r\n\r\n', ...get(QUERY)], 3);
  expect((await closed).map(({ status }) => status)).toEqual([200, 400]);
});

describe('a client that goes on sending a body that was refused', () => {
  const refused = `POST ${NO_EMAIL} HTTP/1.1\r\n${HOST}Content-Type: ${JSON_TYPE}\r\nContent-Length: ${MEGABYTES.length}\r\n\r\n`;

  /** Sends the body once the answer is there. @returns the errors of its connection, which is closed on both sides */
  async function sendOn(rest: string, { server, port } = service): Promise<Error[]> {
    const connected = once(server, 'connection');
    const { socket, closed } = converse(port, [refused], 2);
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    socket.removeAllListeners('end');
    const [connection] = (await connected) as [Socket];
    const gone = once(connection, 'close');
    await once(socket, 'data');
    socket.end(rest);
    expect((await closed).map(({ status }) => status)).toEqual([413]);
    await gone;
    return errors;
  }

  it('can do so, and still read why', async () => {
    expect(await sendOn(MEGABYTES)).toEqual([]);
  });

  it('asks for nothing with what follows the body', async () => {
    const asked: string[] = [];
    const sampleVerifier = async ({ address }: { address: string }) => {
      asked.push(address);
      return UNFINISHED;
    };
    const watched = await listenService({ sampleVerifier });
    await sendOn(MEGABYTES + get(QUERY).join(''), watched);
    expect(asked).toEqual([]);
    await converse(watched.port, get(QUERY)).closed;
    expect(asked).toEqual(['jane@company.example']);
  });
});
