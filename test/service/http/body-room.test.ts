/** How many large bodies a process takes at once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { fastify } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { declareRequestState } from '../../../src/service/access/request-state.ts';
import { silentLog } from '../../../src/service/core/log.ts';
import { beginParsing, countBody, freeBody, holdBodies } from '../../../src/service/http/body-room.ts';
import { answerFailures } from '../../../src/service/http/failure-answers.ts';
import { limitBodyTime } from '../../../src/service/http/slow-bodies.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';

const { db } = await testDatabase();

const LARGE = 70_000;
const [HERE, THERE] = ['192.0.2.1', '198.51.100.1'];

/** Requests with a large body. Each waits for its place, and then for its end. */
function start(wait: typeof countBody) {
  const app = fastify();
  declareRequestState(app);
  answerFailures(app, 100, silentLog);
  limitBodyTime(app, { request: 60_000, upload: 60_000 });
  holdBodies(app);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  app.get('/:name', async (request) => {
    const { name } = request.params as { name: string };
    const { owner } = request.query as { owner?: string };
    request.bodyOwner = owner;
    await wait(request, LARGE);
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    freeBody(request);
    return name;
  });
  const send = (name: string, of: { owner?: string; remoteAddress?: string }) => {
    const { owner, remoteAddress = HERE } = of;
    return app.inject({ url: `/${name}`, query: owner ? { owner } : {}, remoteAddress });
  };
  return {
    app,
    send,
    end: (name: string) => ends.get(name)!(),
    endAll: () => ends.forEach((end) => void end()),
    hasBegun: (...names: string[]) => vi.waitFor(() => expect([...begun].sort()).toEqual(names), PATIENTLY),
  };
}

it('takes two large bodies of strangers from a network, and those of others beside them', async () => {
  const { send, end, endAll, hasBegun } = start(countBody);
  const sent = ['a', 'b', 'c'].map((name) => send(name, {}));
  sent.push(send('d', { remoteAddress: THERE }), send('e', { owner: 'acct' }));
  await hasBegun('a', 'b', 'd', 'e');
  end('b');
  await hasBegun('a', 'b', 'c', 'd', 'e');
  endAll();
  expect((await Promise.all(sent)).map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200));
});

it('takes eight of an account, so that others have places', async () => {
  const { send, endAll, hasBegun } = start(countBody);
  const sent = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => send(name, { owner: 'one' }));
  sent.push(send('z', { owner: 'other' }));
  await hasBegun('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'z');
  endAll();
  await hasBegun('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'z');
  endAll();
  await Promise.all(sent);
});

it('parses two of an account at once, and takes turns', async () => {
  const { send, end, endAll, hasBegun } = start(beginParsing);
  const sent = ['a', 'b', 'c'].map((name) => send(name, { owner: 'one' }));
  sent.push(...['x', 'y', 'z'].map((name) => send(name, { owner: 'other' })));
  await hasBegun('a', 'b', 'x', 'y');
  end('x');
  await hasBegun('a', 'b', 'x', 'y', 'z');
  end('a');
  await hasBegun('a', 'b', 'c', 'x', 'y', 'z');
  endAll();
  await Promise.all(sent);
});

it('refuses a body if fifty others of strangers wait', async () => {
  const { send, endAll, hasBegun } = start(countBody);
  const sent = Array.from({ length: 52 }, (_, index) => send(`${index + 10}`, {}));
  await hasBegun('10', '11');
  const refused = await send('more', {});
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '10']);
  expect(refused.json().message).toContain('Expected fewer large bodies at once');
  let answered = 0;
  for (const answer of sent) void answer.then(() => (answered += 1));
  await vi.waitFor(() => {
    endAll();
    expect(answered).toBe(52);
  }, PATIENTLY);
});

it('gives the place of a client that has gone to the next one', async () => {
  const { app, endAll, hasBegun } = start(countBody);
  onTestFinished(() => app.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const open = async (name: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write(`GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  const sockets = [await open('a'), await open('b')];
  await hasBegun('a', 'b');
  sockets.push(await open('c'));
  sockets[0]!.destroy();
  await hasBegun('a', 'b', 'c');
  // Its response waits for that of the other request.
  sockets[1]!.write('GET /d HTTP/1.1\r\nHost: x\r\n\r\n');
  sockets[2]!.destroy();
  await hasBegun('a', 'b', 'c', 'd');
  sockets[1]!.destroy();
  sockets.push(await open('e'), await open('f'));
  await hasBegun('a', 'b', 'c', 'd', 'e', 'f');
  endAll();
  for (const socket of sockets) socket.destroy();
});

it('reads no third large body without an accepted credential, in any encoding, while two arrive', async () => {
  const { app } = await startStoredService(db);
  const { key } = await storeKey(db, await makeAccount(db));
  const types = ['application/json', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'];
  const begin = {
    [types[0]!]: '{"emails":["',
    [types[1]!]: '--x\r\nContent-Disposition: form-data; name="emails"\r\n\r\n',
    [types[2]!]: 'emails=',
  };
  const end = { [types[0]!]: '"]}', [types[1]!]: '\r\n--x--\r\n', [types[2]!]: '' };
  const text = 'a'.repeat(LARGE);
  const post = (type: string, payload: string | Readable, headers = {}) =>
    app.inject({ method: 'POST', url: '/v1/batch', payload, headers: { 'content-type': type, ...headers } });
  for (const type of types) {
    const held = [0, 1].map(() => {
      const body = new Readable({ read() {} });
      body.push(begin[type] + text);
      return { body, answer: post(type, body) };
    });
    let isAnswered = false;
    const third = post(type, begin[type] + text + end[type]).finally(() => {
      isAnswered = true;
    });
    // It has the same way to go, and a batch to make.
    const own = await post(type, begin[type] + text + end[type], { authorization: `Bearer ${key}` });
    expect([type, own.statusCode, isAnswered]).toEqual([type, 200, false]);
    for (const { body } of held) {
      body.push(end[type] || '&');
      body.push(null);
    }
    expect((await third).statusCode).toBe(401);
    for (const { answer } of held) expect((await answer).statusCode).toBe(401);
  }
});
