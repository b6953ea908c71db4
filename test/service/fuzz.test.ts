/**
 * Requests that nobody would think of: some hundred with all other tests, `npm run fuzz:service` sends 10,000.
 * FUZZ_RUNS says how many, FUZZ_SEED with which seed; a failure names its seed, and the smallest request that fails.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { rounds, SEED } from '../long.mjs';
import { collectGarbage } from './garbage.ts';
import { converse, listenService, type RawAnswer } from './raw.ts';
import { FORM, multipart as multipartOf, SHOP } from './testing.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? rounds(300, 10_000));

/** A leak shows only after many requests, and each look takes a quarter of a second. */
const LOOKS_FOR_LEAKS = RUNS >= 1_000;

/** Whatever the log must not hold: all fuzzed keys and addresses have one of these in them. */
const KEYS = ['test_private', 'test_public', 'live_private', 'live_public', 'test_office', 'test_hushhush'];
const ADDRESSES = [
  'jane@company.example',
  'deliverable@example.com',
  'slow@example.com',
  'jane.hush+tag@gmial.com',
];
const PRIVATE_WORDS = new RegExp(`${KEYS.join('|')}|jane|company|deliverable@|slow@|hush|gmial`);

/** The 5xx that are documented: live keys have no engine yet. */
const DOCUMENTED_503 = /^(Verification with live keys is not available|This server runs without a database)/;

interface Request {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly framing: 'length' | 'chunks' | 'wrong length' | 'none';
  readonly body: string;
  /** Where the bytes are cut into pieces, as parts of the whole. */
  readonly cuts: readonly number[];
  /** How much of it is sent at all. */
  readonly sent: number;
}

const ODD = ['', '\0', '%', '%zz', '%00', '%ff', '\r\n', '__proto__', 'null', '-1', '1e9', '\u202e'];
const LONG = ['"', '@', '.'].map((mark) => mark.repeat(2000));
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(...ODD, ...LONG),
);
/** What a header or a method may hold without being refused by the parser already. */
const plain = fc.stringMatching(/^[\w;,=*"/ -]{0,30}$/);
const address = fc.oneof(
  fc.constantFrom(...ADDRESSES),
  fc.emailAddress(),
  text,
  fc.tuple(text, text).map((sides) => sides.join('@')),
);
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('test_private', 'test_private', 'test_private', ...KEYS) },
  { weight: 1, arbitrary: text },
);
const parameter = fc.oneof(
  fc.tuple(fc.constant('email'), address),
  fc.tuple(fc.constantFrom('api_key', 'access_token'), key),
  fc.tuple(fc.constantFrom('smtp', 'accept_all'), fc.oneof(fc.constantFrom('true', 'false'), text)),
  fc.tuple(fc.constant('timeout'), fc.oneof(fc.integer({ min: -1, max: 12 }).map(String), text)),
  fc.tuple(fc.constant('captcha_response'), text),
  fc.tuple(text, text),
);
/** Mostly a key and an address, so that what comes after those checks is tried as well. */
const parameters = fc
  .record({
    known: fc.option(fc.tuple(fc.constant('api_key'), key), { freq: 6 }),
    about: fc.option(fc.tuple(fc.constant('email'), address), { freq: 6 }),
    others: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(parameter, { maxLength: 4 }) },
    ),
  })
  .map(({ known, about, others }) => [known, about, ...others].filter((pair) => pair !== null));

/** As a form would write it, now and then with a letter that no form would leave as it is. */
const encoded = fc
  .tuple(parameters, fc.oneof({ weight: 12, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text }))
  .map(([pairs, stray]) => `${pairs.map((pair) => pair.map(encode).join('=')).join('&')}${stray}`);

function encode(value: string): string {
  return encodeURIComponent(value.replace(/[\ud800-\udfff]/g, ''));
}

const PATHS = ['/', '/v2/', '/v2/widget.js', '/v1', '/v1/batch', '/oauth/token', '*'];
const ODD_PATHS = ['http://api.example/v1/verify', '//', '/..%2f', '/%2e%2e/'];
const path = fc.oneof(
  { weight: 12, arbitrary: fc.constant('/v1/verify') },
  { weight: 2, arbitrary: fc.constantFrom(...PATHS, ...ODD_PATHS) },
  { weight: 1, arbitrary: fc.webPath() },
  { weight: 1, arbitrary: text.map((any) => `/${any}`) },
);
const target = fc
  .tuple(path, fc.option(encoded, { freq: 5 }))
  .map(([start, query]) => (query === null ? start : `${start}?${query}`));

const json = fc.oneof(
  parameters.map((pairs) => JSON.stringify(Object.fromEntries(pairs))),
  fc.json(),
  fc.json().map((whole) => whole.slice(0, -1)),
  fc
    .dictionary(fc.constantFrom('email', 'api_key', 'smtp', 'timeout', '__proto__'), fc.jsonValue())
    .map((value) => JSON.stringify(value)),
  fc.nat({ max: 30_000 }).map((depth) => `{"email":${'['.repeat(depth)}`),
);
const multipart = parameters.map((pairs) => multipartOf(pairs as [string, string][]).payload);
const FORM_DATA = 'multipart/form-data; boundary=edge';
const TYPES = ['application/json', FORM, FORM_DATA, 'multipart/form-data', 'text/plain'];
const many = fc.nat({ max: 200_000 }).map((size) => 'x'.repeat(size));
const content = fc.oneof(
  fc.tuple(fc.constant('application/json'), json),
  fc.tuple(fc.constant(FORM), encoded),
  fc.tuple(fc.constant(FORM_DATA), multipart),
  fc.tuple(
    fc.constantFrom(...TYPES, 'application/json; charset=utf-16', ''),
    fc.oneof(json, encoded, multipart, text, many),
  ),
);
const ORIGINS = [SHOP, SHOP, SHOP, 'null', 'https://evil.test'];
const bearer = key.map((value) => `Bearer ${value}`);
const OF_BODIES = ['Content-Length', 'Transfer-Encoding', 'Content-Encoding', 'Accept-Encoding'];
const OTHERS = ['If-None-Match', 'X-Forwarded-For', 'Cookie', 'Referer', 'Range'];
const VALUES = ['100-continue', 'close', 'keep-alive', 'chunked', 'gzip', '0', '5', 'x'];
const header = fc.oneof(
  fc.tuple(fc.constant('Origin'), fc.oneof(fc.constantFrom(...ORIGINS), plain)),
  fc.tuple(fc.constant('Authorization'), fc.oneof(bearer, text)),
  fc.tuple(
    fc.constantFrom('Host', 'Expect', 'Connection', 'Upgrade', ...OF_BODIES, ...OTHERS),
    fc.oneof(fc.constantFrom(...VALUES), text),
  ),
  fc.tuple(fc.stringMatching(/^[\w-]{1,20}$/), plain),
  fc.nat({ max: 20_000 }).map((size) => ['X-Long', 'x'.repeat(size)] as [string, string]),
);

const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'get', ''];
const requests: fc.Arbitrary<Request> = fc
  .record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('GET', 'POST') },
      { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      { weight: 1, arbitrary: text },
    ),
    target,
    version: fc.oneof(
      { weight: 12, arbitrary: fc.constant('HTTP/1.1') },
      { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', '') },
    ),
    withHost: fc.integer({ min: 0, max: 12 }),
    content: fc.option(content, { freq: 3 }),
    headers: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) },
    ),
    many: fc.oneof(
      { weight: 15, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.nat({ max: 3000 }) },
    ),
    framing: fc.oneof(
      { weight: 6, arbitrary: fc.constant('length' as const) },
      { weight: 2, arbitrary: fc.constant('chunks' as const) },
      { weight: 1, arbitrary: fc.constantFrom('wrong length' as const, 'none' as const) },
    ),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    sent: fc.oneof(
      { weight: 8, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    ),
  })
  .map(({ withHost, content, headers, many, ...request }) => ({
    ...request,
    headers: [
      ...(withHost > 0 ? [['Host', 'api.example'] as const] : []),
      ...(content ? [['Content-Type', content[0]] as const] : []),
      ...headers,
      ...Array.from({ length: many }, () => ['X', 'y'] as const),
    ],
    body: content?.[1] ?? '',
  }));

/** The bytes of a request, in the pieces in which they are sent. */
function piecesOf({ method, target, version, headers, framing, body, cuts, sent }: Request): Buffer[] {
  const bytes = Buffer.from(body);
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (framing === 'length' && bytes.length > 0) lines.push(`Content-Length: ${bytes.length}`);
  if (framing === 'wrong length') lines.push(`Content-Length: ${bytes.length + 7}`);
  if (framing === 'chunks') lines.push('Transfer-Encoding: chunked');
  const head = Buffer.from([`${method} ${target} ${version}`, ...lines, '', ''].join('\r\n'));
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  const end = Buffer.from(bytes.length > 0 ? '\r\n0\r\n\r\n' : '\r\n');
  const all = Buffer.concat(framing === 'chunks' ? [head, size, bytes, end] : [head, bytes]);
  const whole = all.subarray(0, Math.ceil(all.length * sent));
  const edges = [...cuts.map((cut) => Math.floor(cut * whole.length)), whole.length].sort((a, b) => a - b);
  return edges.map((edge, index) => whole.subarray(edges[index - 1] ?? 0, edge));
}

/** What is wrong with an answer, if anything is. */
function faultOf({ status, headers, body }: RawAnswer, method: string): string | undefined {
  if (!(status >= 200 && status < 600)) return 'it has no status';
  if (headers['x-content-type-options'] !== 'nosniff') return 'it has no security headers';
  if (headers['content-security-policy'] !== "default-src 'none';frame-ancestors 'none'")
    return 'it has no policy';
  if (status < 400 && status !== 249) return undefined;
  if (method === 'HEAD') return undefined;
  const parsed = JSON.parse(body);
  if (Object.keys(parsed).join() !== 'message') return 'its body is not {"message": …}';
  if (!/^[A-Z].{10,}\.?$/.test(parsed.message)) return 'its message says nothing';
  if (status >= 500 && !(status === 503 && DOCUMENTED_503.test(parsed.message))) return 'it is our fault';
  return undefined;
}

const widgetFiles = [{ path: 'widget.js', content: Buffer.from('widget') }];
const service = await listenService({ widgetFiles }, afterAll);
let asked = 0;
let answered = 0;
const statuses = new Map<number, number>();

/** Sends one request, says no more, and looks at all that comes back. */
async function ask(request: Request): Promise<void> {
  asked += 1;
  const { socket, closed } = converse(service.port, piecesOf(request), Number.POSITIVE_INFINITY);
  socket.end();
  for (const answer of await closed) {
    answered += 1;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const fault = faultOf(answer, request.method);
    if (fault)
      throw new Error(`Expected an answer as documented, but ${fault}: ${answer.status} ${answer.body}`);
  }
  const leak = service.logged.splice(0).find((line) => PRIVATE_WORDS.test(line));
  if (leak) throw new Error(`Expected no key and no address in the log, got ${leak}`);
}

/** Bytes in use, and connections and handles that are still there. Without a look for leaks, garbage is among them. */
async function inUse(): Promise<{ heap: number; connections: number; handles: number }> {
  let connections = await countConnections();
  // The service hears of the last client's end a moment after the client itself.
  while (connections > 0) {
    await new Promise((resolve) => setImmediate(resolve));
    connections = await countConnections();
  }
  if (LOOKS_FOR_LEAKS) await collectGarbage();
  const handles = process.getActiveResourcesInfo().filter((name) => /TCP|Pipe|FS/.test(name)).length;
  return { heap: process.memoryUsage().heapUsed, connections, handles };
}

const countConnections = () =>
  new Promise<number>((resolve) => service.server.getConnections((_, count) => resolve(count)));

it(`answers ${RUNS} fuzzed requests as documented, and leaves nothing behind`, {
  timeout: 600_000 + RUNS * 60,
}, async () => {
  const fuzz = (numRuns: number, seed: number) =>
    fc.assert(fc.asyncProperty(requests, ask), { numRuns, seed, endOnFailure: false });
  // The first requests fill caches and compile code: growth is measured from there.
  await fuzz(Math.min(Math.ceil(RUNS / 3), 1000), 1);
  const uses = [await inUse()];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    await fuzz(Math.ceil(RUNS / 4), SEED + quarter);
    uses.push(await inUse());
  }

  const [before, after] = [uses[0]!, uses.at(-1)!];
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const heaps = uses.map(({ heap }) => `${(heap / 2 ** 20).toFixed(1)} MiB`);
  console.info(
    `${asked} requests, ${answered} answers (${counts.join(', ')})${LOOKS_FOR_LEAKS ? `; heap ${heaps.join(' → ')}` : ''}`,
  );
  expect(answered).toBeGreaterThan(RUNS / 2);
  expect(after.connections).toBe(0);
  if (LOOKS_FOR_LEAKS) {
    expect(after.handles).toBe(before.handles);
    expect(after.heap - before.heap).toBeLessThan(4 * 2 ** 20);
  }
});
