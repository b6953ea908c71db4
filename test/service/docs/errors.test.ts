/** Each error of each operation: it can be caused, it is documented, and it has the right status, type, body and CORS. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { sql } from 'kysely';
import type { OpenAPIV3_1 } from 'openapi-types';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES } from '../../../src/service/core/bounds.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import { createApp } from '../../../src/service/oauth/apps/create-app.ts';
import { converse, type RawAnswer } from '../raw.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { DOCS } from '../support/docs.ts';
import { addProcess } from '../support/process.ts';
import {
  beginSecond,
  createScript,
  type StoredServiceOptions,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';
import { EVIL, FORM, SHOP } from '../testing.ts';

const { db } = await testDatabase();
// Without these tables, every operation fails for a reason that it does not expect.
const broken = await testDatabase();
for (const table of ['keys', 'key_values', 'apps', 'batches'])
  await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_elsewhere`)}`.execute(broken.db);
// And in these, every operation waits for longer than a limit of the service.
const limited = await Promise.all(
  Object.entries({ lock_timeout: '50ms', statement_timeout: '1s' }).map(async ([limit, time]) => {
    const locked = await testDatabase();
    const holder = await locked.connect(1).startTransaction().execute();
    await sql`lock table keys, apps, batches`.execute(holder);
    await sql.raw(`alter database ${locked.name} set ${limit} = '${time}'`).execute(locked.db);
    afterAll(() => holder.rollback().execute());
    return { limit, db: locked.connect(5) };
  }),
);

const ACCOUNT = await makeAccount(db, 1_000);
const POOR = await makeAccount(db, 0);
const OF_PAGE = await storeKey(db, ACCOUNT, { kind: 'public' });
const OF_SPENDER = await storeKey(db, ACCOUNT, { kind: 'public', mode: 'live', daily_credits: 1 });
await sql`
  insert into key_spending values (${OF_SPENDER.id}, ${ACCOUNT}, (now() at time zone 'UTC')::date, 1)
`.execute(db);
const [PAGE, SPENDER] = [OF_PAGE.key, OF_SPENDER.key];
const { key: TEST } = await storeKey(db, ACCOUNT);
const { key: LIVE } = await storeKey(db, ACCOUNT, { mode: 'live' });
const { key: LIVE_PAGE } = await storeKey(db, ACCOUNT, { kind: 'public', mode: 'live' });
const { key: UNPAID } = await storeKey(db, POOR, { mode: 'live' });
const CLIENT = { client_id: 'public_client' };
await createApp(db, {
  ...{ accountId: ACCOUNT, name: 'Newsletter', clientId: CLIENT.client_id },
  ...{ redirectUris: [], allowsDevice: true, isPublic: true },
});

let read: OpenAPIV3_1.Document | undefined;
/** The document, which the first test reads. */
async function document(): Promise<OpenAPIV3_1.Document> {
  if (!read) {
    const { app } = await startStoredService(db, { docs: DOCS });
    read = (await app.inject('/docs/openapi.json')).json<OpenAPIV3_1.Document>();
  }
  return read;
}

async function responsesOf({ method, path }: Operation): Promise<OpenAPIV3_1.ResponsesObject> {
  const item = (await document()).paths![path] as Record<string, OpenAPIV3_1.OperationObject>;
  return item[method.toLowerCase()]!.responses!;
}

/** A request without its credential, and what is special about its operation. */
interface Operation {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly query?: string;
  readonly form?: Readonly<Record<string, string>>;
  /** Whether it takes API keys. */
  readonly takesKeys?: boolean;
  /** Whether public keys may use it. */
  readonly publicKeys?: boolean;
}

const EMAIL = 'jane@company.example';
const TOKEN = { grant_type: 'refresh_token', refresh_token: 'unknown' };
const VERIFY = { path: '/v1/verify', takesKeys: true, publicKeys: true };
const OPERATIONS: Readonly<Record<string, Operation>> = {
  verify: { method: 'GET', ...VERIFY, query: `email=${EMAIL}` },
  verifyByPost: { method: 'POST', ...VERIFY, form: { email: EMAIL } },
  explain: { method: 'GET', path: '/v1/verify/explain', takesKeys: true, query: `email=${EMAIL}` },
  preflight: { method: 'OPTIONS', path: '/v1/verify' },
  createBatch: { method: 'POST', path: '/v1/batch', takesKeys: true, form: { emails: EMAIL } },
  batch: { method: 'GET', path: '/v1/batch', takesKeys: true, query: 'id=0123456789abcdef01234567' },
  account: { method: 'GET', path: '/v1/account', takesKeys: true },
  downloadBatch: { method: 'GET', path: '/download/{file}' },
  token: { method: 'POST', path: '/oauth/token', form: { ...CLIENT, ...TOKEN } },
  deviceCode: { method: 'POST', path: '/oauth/device/code', form: { ...CLIENT } },
  revoke: { method: 'POST', path: '/oauth/revoke', form: { ...CLIENT, token: 'unknown' } },
};

it('knows every operation of the document', async () => {
  const documented = Object.values((await document()).paths ?? {}).flatMap((item) =>
    Object.values(item as Record<string, OpenAPIV3_1.OperationObject>).map(({ operationId }) => operationId),
  );
  expect(Object.keys(OPERATIONS).sort()).toEqual(documented.sort());
});

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

interface Wish {
  /** The API key, if the operation takes one. @default a private live key */
  readonly key?: string;
  readonly query?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request of an operation, from a trusted page. */
function requestOf(operation: Operation, { key = LIVE, query, form, headers }: Wish = {}): Request {
  const { method, path, takesKeys } = operation;
  const fields = operation.form && new URLSearchParams({ ...operation.form, ...form }).toString();
  const search = [operation.query, query].filter((part) => part).join('&');
  return {
    method,
    url: `${path.replace('{file}', `${'a'.repeat(43)}.zip`)}${search && `?${search}`}`,
    headers: {
      origin: SHOP,
      ...(takesKeys && key !== '' && { authorization: `Bearer ${key}` }),
      ...(fields !== undefined && { 'content-type': FORM }),
      ...headers,
    },
    ...(fields !== undefined && { payload: fields }),
  };
}

/** One way to cause an error. It returns no request for operations that it does not concern. */
interface Cause {
  readonly request: (operation: Operation, id: string) => Request | undefined;
  readonly service?: StoredServiceOptions;
  /** @default a sound database */
  readonly db?: Db;
  readonly message?: string;
  /** Sends bytes, because no HTTP client can send such a request. */
  readonly isRaw?: boolean;
  readonly prepare?: (operation: Operation, request: Request, app: FastifyInstance) => Promise<unknown>;
  /** How often to prepare and to send the request, until it gets a 429. The last response counts. */
  readonly times?: (id: string) => number;
}

const any = (wish: Wish) => (operation: Operation) => requestOf(operation, wish);
const withKeys = (wish: Wish) => (operation: Operation) =>
  operation.takesKeys ? requestOf(operation, wish) : undefined;
const withBody = (wish: (operation: Operation) => Partial<Request>) => (operation: Operation) =>
  operation.form ? { ...requestOf(operation), ...wish(operation) } : undefined;
const only = (ids: readonly string[], wish: Wish) => (operation: Operation, id: string) =>
  ids.includes(id) ? requestOf(operation, wish) : undefined;

/** Counts as many device flows in this second as may begin, because a busy machine may not begin so many in one. */
const fillSecond = () =>
  sql`update network_counts set count = 50, ends_at = clock_timestamp() + interval '0.9 seconds'
  where name = 'device codes'`.execute(db);

const processId = randomUUID();
/** Uses up the `Idempotency-Key` of a request. It runs in another process, or was another one. */
const spend =
  (change: 'running' | 'different'): NonNullable<Cause['prepare']> =>
  async (_operation, request, app) => {
    await app.inject(request as InjectOptions);
    await addProcess(db, processId);
    const running = { status: null, body: null, process_id: processId };
    const set = change === 'running' ? running : { request: Buffer.alloc(32) };
    await db.updateTable('idempotency').set(set).where('key', '=', change).execute();
  };

const POSTS = ['verifyByPost', 'createBatch'];
const PAID = ['verify', 'explain', ...POSTS];
const VERIFICATIONS = ['verify', 'verifyByPost'];
const UNKNOWN_APP = { client_id: 'unknown_app' };

const simulated = (simulate: string) => only(['createBatch'], { key: TEST, form: { simulate } });

const CAUSES: Readonly<Record<string, Cause>> = {
  'no credential': { request: withKeys({ key: '' }) },
  'an unknown key': { request: withKeys({ key: 'live_unknown' }) },
  'an unknown access token': { request: withKeys({ key: 'unknown' }) },
  'an access token that has expired': { request: withKeys({ key: `at_${'a'.repeat(43)}` }) },
  'a public key': {
    request: (operation) =>
      operation.takesKeys && !operation.publicKeys ? requestOf(operation, { key: PAGE }) : undefined,
  },
  'a public key on another page': { request: withKeys({ key: PAGE, headers: { origin: EVIL } }) },
  'a page that no key trusts': { request: only(['preflight'], { headers: { origin: EVIL } }) },
  'a test key': { request: only(['explain'], { key: TEST }) },
  'two credentials': { request: withKeys({ query: `api_key=${TEST}` }) },
  'wrong escapes in the query': { request: withKeys({ query: 'x=%ff' }) },
  'wrong escapes in the path': {
    request: (operation, id) =>
      id === 'downloadBatch' ? { ...requestOf(operation), url: '/download/%ff' } : undefined,
  },
  'a wrong parameter': { request: only(['verify', 'explain'], { query: 'timeout=99' }) },
  'a wrong parameter with a public key': { request: only(['verify'], { key: PAGE, query: 'timeout=99' }) },
  'a wrong field': { request: only(POSTS, { form: { timeout: '99', retries: 'perhaps' } }) },
  'a wrong id': { request: only(['batch'], { query: 'partial=perhaps' }) },
  'a missing parameter': { request: withBody(() => ({ payload: '' })) },
  'a wrong grant type': { request: only(['token'], { form: { grant_type: 'password' } }) },
  'an unknown app': { request: only(['token', 'deviceCode', 'revoke'], { form: UNKNOWN_APP }) },
  'no credits': { request: only(PAID, { key: UNPAID }) },
  'no credits, simulated': { request: simulated('insufficient_credits_error') },
  'a payment, simulated': { request: simulated('payment_error') },
  'a card, simulated': { request: simulated('card_error') },
  'an error, simulated on POST': { request: simulated('generic_error') },
  'an error, simulated on GET': { request: only(['batch'], { key: TEST, query: 'simulate=generic_error' }) },
  'an object that does not exist': { request: only(['batch', 'downloadBatch'], {}) },
  'another method': {
    request: (operation) =>
      operation.method === 'OPTIONS' ? undefined : { ...requestOf(operation), method: 'PUT' },
  },
  'a running request with the same Idempotency-Key': {
    prepare: spend('running'),
    request: only(POSTS, { headers: { 'idempotency-key': 'running' } }),
  },
  'another request with the same Idempotency-Key': {
    prepare: spend('different'),
    request: only(POSTS, { headers: { 'idempotency-key': 'different' } }),
  },
  'a large body': {
    request: withBody(({ path }) => ({
      payload: 'a'.repeat((path === '/v1/batch' ? MAX_BATCH_BODY_BYTES : MAX_BODY_BYTES) + 1),
    })),
  },
  'another type of body': {
    request: (operation) =>
      operation.form && requestOf(operation, { headers: { 'content-type': 'text/plain' } }),
  },
  'headers that come late': {
    ...{ isRaw: true, service: { timeouts: { head: 50 } }, request: any({ headers: { 'x-late': '' } }) },
  },
  'an unknown expectation': { isRaw: true, request: any({ headers: { expect: 'something' } }) },
  'long headers': { isRaw: true, request: any({ headers: { 'x-long': 'a'.repeat(17 * 1024) } }) },
  'too many requests in a second': {
    service: { limits: { verifyPerSecond: 1, batchPerSecond: 1, accountPerSecond: 1 } },
    prepare: ({ path }) => beginSecond(db, ACCOUNT, path.replace('/explain', '')),
    request: withKeys({}),
  },
  'too many requests of a page in a second': {
    service: { limits: { verifyPerSecond: 1 } },
    prepare: ({ path }) => beginSecond(db, OF_PAGE.id, path),
    request: only(VERIFICATIONS, { key: PAGE }),
  },
  'a key that has spent its credits of the day': { request: only(VERIFICATIONS, { key: SPENDER }) },
  'too many unknown keys': { times: () => 101, request: withKeys({ key: 'live_unknown' }) },
  'too many device flows': { times: () => 101, prepare: fillSecond, request: only(['deviceCode'], {}) },
  'no live verification': { service: {}, request: only(PAID, {}) },
  'no live verification, on a page': { service: {}, request: only(['verify'], { key: LIVE_PAGE }) },
  'a closed port 25': { service: { ...createScript(), isPortClosed: () => true }, request: only(PAID, {}) },
  'a database that is away': { service: { isReady: () => false }, request: any({}) },
  'a full disk': {
    service: { isReady: () => false, trouble: () => 'full' },
    message: 'The disk of the database is full',
    request: any({}),
  },
  ...Object.fromEntries(
    limited.map(({ limit, db }): [string, Cause] => [
      `the ${limit} of the database`,
      { db, message: 'The database took longer', request: any({}) },
    ]),
  ),
  'a fault of the service': { db: broken.db, request: any({}) },
};

const rows = Object.entries(CAUSES).flatMap(([name, cause]) =>
  Object.entries(OPERATIONS).flatMap(([id, operation]) => {
    const request = cause.request(operation, id);
    return request ? [{ name, cause, id, operation, request }] : [];
  }),
);

/** The examples that a response had, each as its operation, status and name. */
const shown = new Set<string>();
/** The statuses that were caused, by the id of the operation. */
const caused = new Map(Object.keys(OPERATIONS).map((id) => [id, new Set<string>()]));

describe('an error is as documented', () => {
  it.each(rows)('$id: $name', async ({ cause, id, operation, request }) => {
    const { service, db: of = db, message = '', isRaw, prepare, times } = cause;
    const { app } = await startStoredService(of, service ?? createScript());
    if (times) {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
    }
    await prepare?.(operation, request, app);
    let answer: RawAnswer;
    if (isRaw) {
      await app.listen({ host: '127.0.0.1', port: 0 });
      answer = await sendRaw((app.server.address() as { port: number }).port, request);
    } else {
      let injected = await app.inject(request as InjectOptions);
      for (let sent = 1; sent < (times?.(id) ?? 1) && injected.statusCode !== 429; sent += 1) {
        await prepare?.(operation, request, app);
        injected = await app.inject(request as InjectOptions);
      }
      const { statusCode: status, headers, body } = injected;
      answer = { status, headers: headers as Record<string, string>, body };
    }
    const { status, headers } = answer;
    expect(status, answer.body).toBeGreaterThanOrEqual(400);
    caused.get(id)!.add(String(status));

    const responses = await responsesOf(operation);
    expect(Object.keys(responses)).toContain(String(status));
    const documented = responses[status] as OpenAPIV3_1.ResponseObject;

    expect(headers).toMatchObject({
      ...{ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
      ...{ 'x-content-type-options': 'nosniff', vary: 'Origin' },
    });
    expect(answer.body).toContain(message);
    await expectToFit(answer.body, documented);
    for (const name of expectExample(answer.body, documented, status)) shown.add(`${id} ${status} ${name}`);
    expectAdvice(answer.body);
    expect(headers['access-control-allow-origin']).toBe(readableBy(operation, request, isRaw));
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('and no other is documented', async () => {
    for (const [id, operation] of Object.entries(OPERATIONS)) {
      const statuses = Object.keys(await responsesOf(operation)).filter((status) => Number(status) >= 400);
      expect({ id, statuses }).toEqual({ id, statuses: [...caused.get(id)!].sort() });
    }
  });
});

/** Examples that no request here gets, by the test that causes them: they need a state that takes long to make. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'test/service/app/without-database/missing-routes.test.ts': [
    ...['account 503 databaseMissing', 'batch 503 databaseMissing', 'createBatch 503 databaseMissing'],
    ...['verify 503 live', 'verifyByPost 503 live', 'explain 503 live'],
  ],
  // Keys of the config have no account.
  'test/service/account/account-route.test.ts': [
    ...['account 403 noAccount', 'batch 403 noAccount', 'createBatch 403 noAccount'],
  ],
  'test/service/credits/more-credits.test.ts': ['createBatch 402 creditsMissing2'],
  'test/service/credits/billing/wiring.test.ts': [
    'createBatch 402 creditsMissing3',
    ...['verify 402 payment', 'verifyByPost 402 payment', 'explain 402 payment'],
  ],
  'test/service/batch/storage.test.ts': ['createBatch 429 tooManyRequests2'],
  'test/service/batch/large-batches.test.ts': [
    'createBatch 413 bodyTooLarge2',
    'createBatch 429 tooManyRequests3',
  ],
  'test/service/http/body-room.test.ts': ['createBatch 429 tooManyRequests4'],
  'test/service/batch/download/download-route.test.ts': ['downloadBatch 503 downloadsBusy'],
  'test/service/verify/busy.test.ts': [
    ...['verify 503 liveBusy', 'verifyByPost 503 liveBusy', 'explain 503 liveBusy'],
  ],
  'test/service/captcha/check-captcha.test.ts': [
    ...['verify 403 captcha', 'verify 403 captchaMissing', 'verify 503 captcha'],
    ...['verifyByPost 403 captcha', 'verifyByPost 403 captchaMissing', 'verifyByPost 503 captcha'],
  ],
  // Explanations share the responses of /v1/verify. No public key gets so far.
  'test/service/verify/explain.test.ts': ['explain 429 spent'],
  'test/service/oauth/device/device.test.ts': [
    ...['token 400 access_denied', 'token 400 authorization_pending', 'token 400 expired_token'],
    ...['token 400 slow_down', 'deviceCode 400 invalid_scope'],
  ],
  'test/service/oauth/token.test.ts': [
    ...['token 400 invalid_grant', 'token 400 invalid_scope', 'token 400 unauthorized_client'],
  ],
};

it('each example of an error is the answer to a request', async () => {
  const documented: string[] = [];
  for (const [id, operation] of Object.entries(OPERATIONS))
    for (const [status, response] of Object.entries(await responsesOf(operation)))
      if (Number(status) >= 400)
        for (const [name] of examplesOf(response as OpenAPIV3_1.ResponseObject))
          documented.push(`${id} ${status} ${name}`);
  const missing = documented.filter((example) => !shown.has(example));
  expect(missing.sort()).toEqual(Object.values(ELSEWHERE).flat().sort());
  expect(Object.keys(ELSEWHERE).filter((file) => !existsSync(file))).toEqual([]);
});

/** The pages that may read the response: that of a public key at the API, and all at the endpoints of OAuth. */
function readableBy({ path }: Operation, { method, headers }: Request, isRaw = false): string | undefined {
  // Such a request is refused before its URL and its headers are known.
  if (isRaw) return undefined;
  if (path.startsWith('/oauth/')) return method === 'POST' ? '*' : undefined;
  const isOfPage = [PAGE, LIVE_PAGE, SPENDER].some((key) => headers.authorization === `Bearer ${key}`);
  return isOfPage && headers.origin === SHOP ? SHOP : undefined;
}

async function expectToFit(body: string, { content }: OpenAPIV3_1.ResponseObject): Promise<void> {
  const { $ref } = content!['application/json']!.schema as { $ref: string };
  const schema = (await document()).components?.schemas?.[$ref.split('/').at(-1)!];
  const validate = new Ajv2020({ strict: true }).compile({ ...schema, additionalProperties: false });
  expect([validate(JSON.parse(body)), validate.errors]).toEqual([true, null]);
}

const examplesOf = ({ content }: OpenAPIV3_1.ResponseObject) =>
  Object.entries(content!['application/json']!.examples ?? {}) as [string, { value: object }][];

/**
 * The message is among the examples. Those of a 400 name the parameter, and OAuth has names for its errors.
 *
 * @returns the names of the examples that show the body
 */
function expectExample(body: string, documented: OpenAPIV3_1.ResponseObject, status: number): string[] {
  // How many credits are missing is another number in each request.
  const general = (text: string) => JSON.parse(text.replace(/\d+( credits?)?/g, '…'));
  const { error, ...whole } = general(body);
  const found = examplesOf(documented).filter(([, { value }]) => {
    const example = general(JSON.stringify(value));
    if (error) return example.error === error;
    return status === 400 || JSON.stringify(example) === JSON.stringify(whole);
  });
  expect(found, body).not.toEqual([]);
  return found.map(([name]) => name);
}

/** The message says what is expected, or what to do. The interface has the words of the rate limit. */
function expectAdvice(body: string): void {
  const { message = 'Rate Limit Exceeded' } = JSON.parse(body) as { message?: string };
  if (message !== 'Rate Limit Exceeded')
    expect(message).toMatch(/^Expected |\. [A-Z]|^This error is simulated/);
}

/** Sends the head of the request. An empty header stays without its end, as one that comes late. */
async function sendRaw(port: number, { method, url, headers, payload = '' }: Request): Promise<RawAnswer> {
  const lines = Object.entries({ ...headers, 'content-length': String(payload.length) });
  const late = lines.find(([, value]) => value === '');
  const whole = lines.filter((line) => line !== late).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${url} HTTP/1.1\r\nHost: api.example\r\n${whole.join('')}`;
  const [answer] = await converse(port, [head + (late ? `${late[0]}: ` : `\r\n${payload}`)]).closed;
  return answer!;
}
