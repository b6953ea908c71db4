/** Clients that keep the service waiting. Nothing here waits for longer than the service itself does. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fastify } from 'fastify';
import { expect, it, vi } from 'vitest';
import { limitBodyTime } from '../../../src/service/http/slow-bodies.ts';
import { inLong } from '../../in-long.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { converse, type ListeningService, listenService } from '../raw.ts';
import { UNFINISHED } from '../testing.ts';

/** Long enough for clients that are not slow, however busy the machine is. */
const BRIEF = { head: 60_000, request: 60_000, idle: 60, stalled: 5000, linger: 60 };
/** Each slow client takes as long. The others need less, also on a busy machine. */
const SLOW_MS = { head: 1_500, request: 1_500 };
const QUERY = '/v1/verify?api_key=test_private&email=jane@company.example';
const GOOD = `GET ${QUERY} HTTP/1.1\r\nHost: api.example\r\n\r\n`;
const POST = `POST ${QUERY} HTTP/1.1\r\nHost: api.example\r\n`;
const JSON_HEAD = `${POST}Content-Type: application/json\r\n`;
const MULTIPART_HEAD = `${POST}Content-Type: multipart/form-data; boundary=e\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const NEVER = Number.POSITIVE_INFINITY;

/** Says one piece more each time the event loop comes round, for as long as it is listened to. */
function dribble(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.writable && socket.write(piece), 1);
  socket.once('close', () => clearInterval(timer));
}

/** The connections that the service holds itself, whatever their clients think. */
const connectionsOf = ({ server }: ListeningService) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

/** Waits until the service has closed its next connection, and expects that it has no other. */
async function expectClosed(service: ListeningService): Promise<void> {
  const [connection] = (await once(service.server, 'connection')) as [Socket];
  await once(connection, 'close');
  expect(await connectionsOf(service)).toBe(0);
}

const SLOW: readonly [what: string, begins: string, goesOn: string][] = [
  ['says nothing at all', '', ''],
  ['breaks off in the middle of its head', 'POST /v1/ver', ''],
  ['never comes to the end of its head', POST, 'X: y\r\n'],
  ['never comes to the end of one header', POST, 'x'],
  ['announces a body and sends none', `${JSON_HEAD}Content-Length: 100\r\n\r\n`, ''],
  ['sends its body a letter at a time', `${JSON_HEAD}Content-Length: 9999\r\n\r\n`, ' '],
  ['never comes to the end of its chunks', JSON_HEAD + CHUNKED, '1\r\n \r\n'],
  ['never comes to the end of its multipart', MULTIPART_HEAD + CHUNKED, '1\r\n \r\n'],
];

it('tells a slow client so and lets it go, whatever it does', async () => {
  const service = await listenService({ timeouts: { ...BRIEF, ...SLOW_MS } });
  // Side by side, because each of them takes as long as the service waits.
  const answers = SLOW.map(async ([what, begins, goesOn]) => {
    const { socket, closed } = converse(service.port, [begins], NEVER);
    if (goesOn) dribble(socket, goesOn);
    const [answer, another] = await closed;
    expect.soft([answer?.status, another], `a client that ${what}`).toEqual([408, undefined]);
    expect.soft(JSON.parse(answer!.body).message, what).toMatch(/^The request took too long to arrive/);
  });
  await Promise.all(answers);
  expect((await converse(service.port, [GOOD]).closed)[0]?.status).toBe(200);
});

it('closes without a word on a client that sends nothing after its response', async () => {
  const service = await listenService({ timeouts: BRIEF });
  const answers = await converse(service.port, [GOOD], NEVER).closed;
  expect(answers.map(({ status }) => status)).toEqual([200]);
});

it('closes on a client that goes on sending after it was refused', async () => {
  const service = await listenService({ timeouts: BRIEF });
  const head = `${JSON_HEAD}Content-Length: 1000000\r\n\r\n`;
  const { socket, closed } = converse(service.port, [head], NEVER);
  socket.removeAllListeners('end');
  dribble(socket, ' ');
  expect((await closed).map(({ status }) => status)).toEqual([413]);
});

it('closes on a client that does not close after it was refused', async () => {
  const service = await listenService({ timeouts: { ...BRIEF, idle: 60_000 } });
  const { socket, closed } = converse(service.port, ['nonsense\r\n\r\n'], NEVER);
  socket.removeAllListeners('end');
  await expectClosed(service);
  socket.destroy();
  expect((await closed).map(({ status }) => status)).toEqual([400]);
});

it('closes on a client that takes nothing of its response', async () => {
  const widgetFiles = [{ path: 'widget.js', content: Buffer.alloc(32_000_000) }];
  const service = await listenService({ widgetFiles, timeouts: { ...BRIEF, stalled: 60 } });
  const { socket } = converse(service.port, ['GET /v2/ HTTP/1.1\r\nHost: api.example\r\n\r\n'], NEVER);
  socket.pause();
  await expectClosed(service);
  socket.destroy();
});

inLong('keeps nobody waiting for 200 slow clients', async () => {
  const service = await listenService({ timeouts: { ...BRIEF, ...SLOW_MS, linger: 60_000 } });
  const gone: Promise<unknown>[] = [];
  service.server.on('connection', (connection) => gone.push(once(connection, 'close')));
  const slow = Array.from({ length: 200 }, () => converse(service.port, ['GET / HTT'], NEVER));
  await Promise.all(slow.map(({ socket }) => once(socket, 'connect')));
  expect((await converse(service.port, [GOOD]).closed)[0]?.status).toBe(200);
  const statuses = await Promise.all(slow.map(async ({ closed }) => (await closed)[0]?.status));
  expect(new Set(statuses)).toEqual(new Set([408]));
  await Promise.all(gone);
  expect(await connectionsOf(service)).toBe(0);
});

it('sends a slow response to a client that has closed its side', async () => {
  const { promise: asked, resolve: ask } = withResolvers();
  const { promise: answered, resolve: goOn } = withResolvers<typeof UNFINISHED>();
  const sampleVerifier = () => {
    ask();
    return answered;
  };
  const service = await listenService({ sampleVerifier });
  const { socket, closed } = converse(service.port, [GOOD], NEVER);
  const [connection] = (await once(service.server, 'connection')) as [Socket];
  const ended = once(connection, 'end');
  socket.end();
  await Promise.all([asked, ended]);
  goOn(UNFINISHED);
  expect((await closed).map(({ status }) => status)).toEqual([249]);
});

it('does not call a request slow whose body was read, also without a connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const app = fastify();
  limitBodyTime(app, { request: 1_000, upload: 1_000 });
  const late: unknown[] = [];
  app.server.on('clientError', (error) => late.push(error));
  app.post('/', async () => {
    vi.advanceTimersByTime(2_000);
    return 'done';
  });
  const { body } = await app.inject({ method: 'POST', url: '/', payload: { a: 1 } });
  vi.useRealTimers();
  expect([body, late]).toEqual(['done', []]);
});
