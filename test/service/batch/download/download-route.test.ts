/** `/download/` over real sockets, on a real database. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Validator } from '@seriousme/openapi-schema-validator';
import { fastify } from 'fastify';
import { sql } from 'kysely';
import { describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { createService } from '../../../../src/service/app/web.ts';
import { forgetResults } from '../../../../src/service/batch/batch-store.ts';
import { openArchive } from '../../../../src/service/batch/download/archive.ts';
import { downloadRoute } from '../../../../src/service/batch/download/download-route.ts';
import { type Download, findDownload } from '../../../../src/service/batch/download/download-store.ts';
import { workOff } from '../../../../src/service/batch/samples.ts';
import { inLong } from '../../../in-long.ts';
import { rounds } from '../../../long.mjs';
import { withResolvers } from '../../../with-resolvers.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { DOCS } from '../../support/docs.ts';
import { runService } from '../../support/running-service.ts';
import {
  makeCustomer,
  type StoredServiceOptions,
  startStoredService,
  storeKey,
} from '../../support/stored-service.ts';
import { expire } from '../results/results.ts';
import { type MadeBatch, makeBatch, makeLargeBatch } from './batches.ts';
import { parseCsv, unzip } from './readers.ts';

vi.mock('../../../../src/service/batch/download/archive.ts', { spy: true });
vi.mock('../../../../src/service/batch/download/download-store.ts', { spy: true });

const database = await testDatabase();
const { db } = database;

/** Too much for the buffers of a socket. */
const LARGE = { padding: 6_400, responseFields: ['user'] };
const LARGE_COUNT = 2_500;
let large: Promise<MadeBatch> | undefined;
/** One for all tests, because it takes long to make. */
const largeBatch = () => (large ??= makeLargeBatch(db, LARGE_COUNT, LARGE));

async function open(options: StoredServiceOptions = {}, ownDb = db) {
  const service = await startStoredService(ownDb, { ...options, isOwn: true });
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as AddressInfo;
  /** Sends a request, and leaves the body unread. */
  const ask = async (path: string, method = 'GET', headers = {}): Promise<IncomingMessage> => {
    const sent = request({ port, path, method, headers, agent: new Agent() }).end();
    onTestFinished(() => void sent.destroy());
    sent.on('error', () => {});
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const get = async (path: string, headers = {}) => {
    const response = await ask(path, 'GET', headers);
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  };
  const statusOf = async (path: string) => (await get(path)).status;
  return { ...service, port, ask, get, statusOf };
}

const messageOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).message;
const MISSING =
  'There is no file at this URL, or it is no longer kept. Read the status of the batch to see what is there.';
const UNKNOWN = `/download/${'a'.repeat(43)}.zip`;

describe('download_file', () => {
  const emails = Array.from({ length: 1_001 }, (_, index) => `user${index}@company.example`);
  async function create(service: Awaited<ReturnType<typeof open>>, payload: object) {
    const { accountId, headers } = await makeCustomer(db, 0, { mode: 'test' });
    const { id } = (await service.app.inject({ method: 'POST', url: '/v1/batch', headers, payload })).json();
    const status = async () => (await service.app.inject({ url: `/v1/batch?id=${id}`, headers })).json();
    return { id, accountId, status };
  }
  it('is in the status of a completed batch with more than 1,000 entries', async () => {
    const service = await open();
    const { id, status } = await create(service, { emails });
    expect(await status()).not.toHaveProperty('download_file');
    await workOff({ ...DEPS, db });
    const body = await status();
    expect(Object.keys(body)).toEqual(['message', 'id', 'download_file', 'reason_counts', 'total_counts']);
    expect(body.download_file).toMatch(/^https:\/\/verify\.example\/download\/[\w-]{43}\.zip$/);
    const { csv, name } = await unzip((await service.get(new URL(body.download_file).pathname)).body);
    expect(name).toBe(`batch-${id}.csv`);
    expect(parseCsv(csv)).toHaveLength(1_002);
  });

  it('is not in the status of a batch with 1,000 entries', async () => {
    const { status } = await create(await open(), { emails: emails.slice(1) });
    expect(await status()).not.toHaveProperty('download_file');
  });

  it('has the fields that were asked for', async () => {
    const service = await open();
    const { status } = await create(service, { emails, response_fields: 'state,email' });
    await workOff({ ...DEPS, db });
    const { csv } = await unzip((await service.get(new URL((await status()).download_file).pathname)).body);
    expect(csv).toMatch(/^email,state\r\nuser0@company\.example,\w+\r\n/);
  });

  it('ends with the retention, at once, and the file with it', async () => {
    const service = await open();
    const { id, status } = await create(service, { emails });
    await workOff({ ...DEPS, db });
    const { download_file, ...counts } = await status();
    const { pathname } = new URL(download_file);
    expect(await service.statusOf(pathname)).toBe(200);
    await expire(db, id);
    expect(await status()).toEqual(counts);
    expect(await service.statusOf(pathname)).toBe(404);
    await forgetResults(db);
    expect(await status()).toEqual(counts);
    expect(await service.statusOf(pathname)).toBe(404);
  });
});

describe('GET', () => {
  it('needs no credential, and says what it returns', async () => {
    const { get } = await open();
    const { id, path } = await makeBatch(db, [{}, {}]);
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="batch-${id}.zip"`,
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex',
      'accept-ranges': 'none',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers).not.toHaveProperty('etag');
    expect(parseCsv((await unzip(body)).csv)).toHaveLength(3);
  });

  it('returns the whole file for a Range', async () => {
    const { get } = await open();
    const { path } = await makeBatch(db, [{}]);
    const whole = await get(path);
    const { status, body } = await get(path, { range: 'bytes=0-9', 'if-range': '"x"' });
    expect([status, body.equals(whole.body)]).toEqual([200, true]);
  });

  it('sends many results to two at once', async () => {
    const count = rounds(2_000, 50_000);
    const { get } = await open();
    const { path } = await makeLargeBatch(db, count);
    const [first, second] = await Promise.all([get(path), get(path)]);
    expect(first.body.equals(second.body)).toBe(true);
    expect(parseCsv((await unzip(first.body)).csv)).toHaveLength(count + 1);
  });

  it('works in every process, and for each the file is the same', async () => {
    const [one, other] = [await open(), await open({}, database.connect(2))];
    const { path } = await makeLargeBatch(db, 1_500);
    const [first, second] = [await one.get(path), await other.get(path)];
    expect(first.body.equals(second.body)).toBe(true);
  });

  it.each([
    ['a name that no batch has', () => UNKNOWN],
    ['another last character', (path: string) => path.replace(/.(?=\.zip)/, (a) => (a === 'A' ? 'B' : 'A'))],
    ['a name in other letters', (path: string) => path.toUpperCase()],
    ['no ending', (path: string) => path.replace('.zip', '')],
    ['another ending', (path: string) => path.replace('.zip', '.csv')],
    ['more after it', (path: string) => `${path}/more`],
    ['nothing', () => '/download/'],
    ['a long name', () => `/download/${'a'.repeat(9_000)}.zip`],
    ['NUL', () => '/download/%00.zip'],
  ])('answers %s with a 404', async (_, change) => {
    const { get } = await open();
    const { path } = await makeBatch(db, [{}]);
    const answer = await get(change(path));
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(messageOf(answer)).toEqual(expect.any(String));
  });

  it('has the same 404 for a batch that is not completed, expired or deleted', async () => {
    const { get } = await open();
    const batches = await Promise.all([1, 2, 3].map(() => makeBatch(db, [{}])));
    const [unfinished, expired, deleted] = batches.map(({ id }) => id);
    await sql`
      update batches set completed_at = null, expires_at = null, reason_counts = null where id = ${unfinished}
    `.execute(db);
    await expire(db, expired!);
    await db.deleteFrom('batches').where('id', '=', deleted!).execute();
    for (const { path } of batches) {
      const answer = await get(path);
      expect([answer.status, messageOf(answer)]).toEqual([404, MISSING]);
    }
  });

  it('is not logged with its name', async () => {
    const { get, logged } = await open();
    const { path } = await makeBatch(db, [{}]);
    await get(path);
    await get(UNKNOWN);
    await vi.waitUntil(() => logged.length >= 2);
    expect(logged.join()).toContain('/download/:file');
    expect(logged.join()).not.toContain(path.slice('/download/'.length, -'.zip'.length));
    expect(logged.join()).not.toContain('aaaa');
  });

  it('is a 503 while the database is away', async () => {
    const { get } = await open({ isReady: () => false });
    const answer = await get(UNKNOWN);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
  });
});

it('answers HEAD without a body, and reads no result for it', async () => {
  const { ask, logged } = await open();
  const { id, path } = await makeBatch(db, [{}]);
  // Without results, a download would fail.
  await db.deleteFrom('batch_rows').where('batch_id', '=', id).execute();
  const response = await ask(path, 'HEAD');
  expect([response.statusCode, (await buffer(response)).length]).toEqual([200, 0]);
  expect(response.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename="batch-${id}.zip"`,
    'accept-ranges': 'none',
  });
  const missing = await ask(UNKNOWN, 'HEAD');
  expect(missing.statusCode).toBe(404);
  expect(logged.join()).not.toContain('cut off');
});

it('is a 404 in a service without a database', async () => {
  const app = createService({ keys: [], settings: settingsWith() });
  onTestFinished(() => app.close());
  expect((await app.inject(UNKNOWN)).statusCode).toBe(404);
});

/** What the connections of a pool do at the moment, by its name. */
async function statesOf(name: string): Promise<(string | null)[]> {
  const { rows } = await sql<{ state: string | null }>`
    select state from pg_stat_activity where application_name = ${name}
  `.execute(db);
  return rows.map(({ state }) => state);
}

/** Begins a download, reads its first bytes, and then no more. */
async function stall(port: number, path: string, version = '1.1') {
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`GET ${path} HTTP/${version}\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'readable');
  const read: Buffer[] = [socket.read()];
  return {
    leave: () => socket.destroy(),
    /** Reads on to the end of the connection. @returns what it has read */
    async finish(): Promise<Buffer> {
      socket.on('data', (chunk) => read.push(chunk)).resume();
      await closed;
      return Buffer.concat(read);
    },
  };
}

/** What a ZIP file ends with (APPNOTE, section 4.3.16). */
const END_OF_ZIP = Buffer.from([0x50, 0x4b, 0x05, 0x06]);

/** Watches for resets by the service. Libuv shows a client that has paused an end instead. */
function countResets(app: Awaited<ReturnType<typeof open>>['app']): () => number {
  const resets: MockInstance[] = [];
  app.server.on('connection', (socket) => resets.push(vi.spyOn(socket, 'resetAndDestroy')));
  return () => resets.flatMap(({ mock }) => mock.calls).length;
}

/** Looks at the connections of the service. Call what it returns to wait until so many clients take nothing more. */
function followStalled(app: Awaited<ReturnType<typeof open>>['app']) {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async (count: number) => {
    let before = '';
    let looks = 0;
    await vi.waitUntil(
      () => {
        const stalled = [...sockets].filter((socket) => socket.writableNeedDrain);
        const now = stalled.map(({ bytesWritten }) => bytesWritten).join();
        // The buffers of the system grow at first, so a connection may only seem full.
        looks = stalled.length === count && now === before ? looks + 1 : 0;
        before = now;
        return looks === 10;
      },
      { interval: 20 },
    );
  };
}

inLong('holds no connection to the database for a client that stops reading', async () => {
  const { app, port, statusOf } = await open({}, database.connect(1, 'stalled'));
  const waitForStalled = followStalled(app);
  const { path } = await largeBatch();
  await Promise.all([1, 2, 3].map(() => stall(port, path)));
  await waitForStalled(3);
  await vi.waitUntil(async () => String(await statesOf('stalled')) === 'idle');
  // The pool has one connection.
  expect(await statusOf(UNKNOWN)).toBe(404);
});

const FOUND: Download = {
  ...{ id: 'x', account_id: 'acc_1' },
  ...{ distinct_total: 1, response_fields: null, completed_at: new Date() },
};

/** The route alone, with downloads that have no end. */
async function openRoute(find: () => Promise<Download>) {
  vi.mocked(findDownload).mockImplementation(find);
  const opened: Readable[] = [];
  const app = fastify();
  onTestFinished(() => app.close());
  vi.mocked(openArchive).mockImplementation(() => {
    const archive = new Readable({ read() {} });
    archive.push('PK');
    opened.push(archive);
    return archive;
  });
  onTestFinished(() => {
    for (const mocked of [findDownload, openArchive]) vi.mocked(mocked).mockReset();
  });
  app.register(downloadRoute, { deps: { ...DEPS, db }, longestMs: 600_000 });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, opened, port: (app.server.address() as AddressInfo).port };
}

/** Sends so many requests on one connection at once. */
function send(port: number, count: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  socket.write(`GET ${UNKNOWN} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(count));
  return socket;
}

describe('too many downloads', () => {
  inLong('of one batch are a 503, and the places are free again when clients leave', async () => {
    const { app, port, ask, get } = await open();
    const waitForStalled = followStalled(app);
    const [large, other] = [await largeBatch(), await makeBatch(db, [{}])];
    const clients = await Promise.all([1, 2, 3, 4, 5].map(() => stall(port, large.path)));
    await waitForStalled(5);
    const refused = await get(large.path);
    const message = 'Too many downloads are running at the moment. Send the request again later.';
    expect([refused.status, refused.headers['retry-after'], messageOf(refused)]).toEqual([503, '5', message]);
    expect(refused.headers).not.toHaveProperty('content-disposition');
    expect((await get(other.path)).status).toBe(200);
    for (const client of clients) client.leave();
    await vi.waitUntil(async () => {
      const again = await ask(large.path);
      again.destroy();
      return again.statusCode === 200;
    });
  });

  it('of one account leave places for others: those of four batches were all', async () => {
    const accounts = [...Array(6).fill('acc_1'), 'acc_2'];
    let asked = 0;
    const { port, opened } = await openRoute(async () => {
      asked += 1;
      return { ...FOUND, id: `batch ${asked}`, account_id: accounts[asked - 1]! };
    });
    for (let count = 1; count <= 5; count += 1) {
      send(port, 1);
      await vi.waitUntil(() => opened.length === count);
    }
    const [refused] = (await once(send(port, 1), 'data')) as [Buffer];
    expect(refused.toString()).toContain('503 Service Unavailable');
    send(port, 1);
    await vi.waitUntil(() => opened.length === 6);
  });

  it('are not begun for a client that has left', async () => {
    const found = withResolvers<Download>();
    const asked = withResolvers<void>();
    const { port, opened, app } = await openRoute(() => {
      asked.resolve();
      return found.promise;
    });
    const gone = new Promise((resolve) =>
      app.server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const socket = send(port, 1);
    await asked.promise;
    socket.destroy();
    await gone;
    found.resolve(FOUND);
    await vi.waitUntil(() => opened[0]?.closed);
  });

  it('end with their client, also those that wait for earlier ones of its connection', async () => {
    const { port, opened } = await openRoute(async () => FOUND);
    const socket = send(port, 5);
    await vi.waitUntil(() => opened.length === 5);
    socket.destroy();
    await vi.waitUntil(() => opened.every(({ closed }) => closed));
  });

  it('give their place back when they are done', async () => {
    const { statusOf } = await open();
    const { path } = await makeBatch(db, [{}]);
    for (let count = 0; count < 12; count += 1) expect(await statusOf(path)).toBe(200);
  });
});

describe('a download that breaks off', () => {
  // In HTTP/1.0, the end of a connection is the end of a file. A reset is not.
  it.each(['1.0', '1.1'])('is reset, and has no end (HTTP/%s)', async (version) => {
    const { app, port, logged } = await open();
    const resets = countResets(app);
    const { id, path } = await makeLargeBatch(db, 1_500);
    await db.deleteFrom('batch_rows').where('batch_id', '=', id).where('place', '>=', 1_200).execute();
    const received = await (await stall(port, path, version)).finish();
    expect(received.includes('200 OK')).toBe(true);
    expect(received.includes(END_OF_ZIP)).toBe(false);
    expect(received.subarray(-5).toString()).not.toBe('0\r\n\r\n');
    expect(resets()).toBe(1);
    expect(logged.join()).toContain('download cut off');
    expect(logged.join()).toContain('ResultsDeletedError');
  });

  it('is an error for a client', async () => {
    const { ask } = await open();
    const { id, path } = await makeLargeBatch(db, 1_500);
    await db.deleteFrom('batch_rows').where('batch_id', '=', id).where('place', '=', 1_400).execute();
    await expect(ask(path).then(buffer)).rejects.toThrow();
  });

  it('does so when it takes too long', async () => {
    const { app, ask, logged } = await open({ timeouts: { download: 1 } });
    const resets = countResets(app);
    const { path } = await largeBatch();
    await expect(ask(path).then(buffer)).rejects.toThrow();
    expect(resets()).toBe(1);
    expect(logged.join()).toContain('download cut off');
    expect(logged.join()).toContain('TooSlowError');
  });
});

inLong('has every response in its documentation, with its headers and its message', async () => {
  const { app, get, port } = await open({ docs: DOCS });
  const document = JSON.parse((await get('/docs/openapi.json')).body.toString());
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
  const { responses, parameters } = document.paths['/download/{file}'].get;
  expect(parameters).toMatchObject([{ in: 'path', name: 'file', required: true }]);
  const waitForStalled = followStalled(app);
  const large = await largeBatch();
  await Promise.all([1, 2, 3, 4, 5].map(() => stall(port, large.path)));
  await waitForStalled(5);
  const away = await open({ isReady: () => false });
  const answers = {
    200: [await get((await makeBatch(db, [{}])).path)],
    404: [await get(UNKNOWN)],
    503: [await get(large.path), await away.get(UNKNOWN)],
  };
  // test/service/docs/errors.test.ts causes those that every route has.
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(Object.keys(answers)));
  for (const [status, given] of Object.entries(answers)) {
    const { headers = {}, content } = responses[status];
    const [type, { examples = {} }] = Object.entries<{ examples?: object }>(content)[0]!;
    for (const answer of given) {
      expect(answer.status).toBe(Number(status));
      expect(answer.headers['content-type']).toContain(type);
      for (const name of Object.keys(headers)) expect(answer.headers).toHaveProperty(name.toLowerCase());
    }
    const messages = Object.values<{ value: { message: string } }>(examples as never);
    const named = messages.map(({ value }) => value.message);
    if (named.length > 0) expect(named).toEqual(expect.arrayContaining(given.map(messageOf)));
  }
});

it('begins the URL with the address listened on if the config has none', async () => {
  const service = runService(database.url, { publicUrl: undefined });
  await service.opened.ready;
  const { id, accountId, path } = await makeBatch(db, [{}]);
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'test' });
  const address = await service.listen();
  const headers = { authorization: `Bearer ${key}` };
  const body = (await service.ask({ url: `/v1/batch?id=${id}`, headers })).json();
  expect(body.download_file).toBe(`${address}${path}`);
  expect((await fetch(body.download_file)).status).toBe(200);
});
