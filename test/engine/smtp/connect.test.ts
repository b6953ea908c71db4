import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { connect } from '../../../src/engine/smtp/connect.ts';
import { createSources, type Source } from '../../../src/engine/smtp/sources.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { type MailServer, startMailServer } from '../world/mail-server.ts';
import { type SocksScript, type SocksServer, startSocksServer } from '../world/socks-server.ts';

const open: (MailServer | SocksServer)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
async function mailServer(ip = '127.0.0.1') {
  const server = await startMailServer({}, { ip });
  open.push(server);
  return server;
}
async function proxy(script: SocksScript, credentials = '') {
  const server = await startSocksServer(script);
  open.push(server);
  const source = createSources([], [`socks5://${credentials}127.0.0.1:${server.port}`]).choose(
    '127.0.0.1',
    '',
  )!;
  return { server, source };
}

const directly: Source = { kind: 'direct', localAddress: undefined };
const never = new AbortController().signal;
const target = (ip: string, port: number) => ({ ip, port, mayContact: () => true });

async function firstLine(server: MailServer, source: Source) {
  const connected = await connect(target(server.ip, server.port), source, never);
  if (connected.kind === 'failed') return connected.why;
  const line = await new Promise((resolve) => connected.socket.once('data', (bytes) => resolve(`${bytes}`)));
  connected.socket.destroy();
  await server.whenEmpty();
  return line;
}

it('connects to the IP address', async () => {
  const server = await mailServer('127.0.0.7');
  expect(await firstLine(server, directly)).toBe('220 mx.test ESMTP\r\n');
});

it('connects from the local address', async () => {
  const server = await mailServer();
  await firstLine(server, { kind: 'direct', localAddress: '127.0.0.9' });
  expect(server.clients).toEqual(['127.0.0.9']);
});

it('says that a port is closed', async () => {
  const server = await mailServer();
  await server.close();
  expect(await connect(target(server.ip, server.port), directly, never)).toEqual({
    kind: 'failed',
    why: 'connection refused',
  });
  open.length = 0;
});

it('gives up when its time ends while it connects', async () => {
  const server = await mailServer();
  const time = new AbortController();
  const connected = connect(target(server.ip, server.port), directly, time.signal);
  time.abort();
  expect(await connected).toEqual({ kind: 'failed', why: 'no answer in time' });
  await server.whenEmpty();
});

it('survives a server that resets the connection once it is there', async () => {
  const resetting = createServer();
  const accepted = once(resetting, 'connection') as Promise<[Socket]>;
  const port = await listenOnLoopback(resetting);
  const connected = await connect(target('127.0.0.1', port), directly, never);
  if (connected.kind === 'failed') throw new Error(connected.why);
  const closed = new Promise((resolve) => connected.socket.resume().once('close', resolve));
  const [socket] = await accepted;
  socket.resetAndDestroy();
  // An error without a listener would end the process.
  expect(await closed).toBe(true);
});

it('does not resolve a name', async () => {
  const server = await mailServer();
  const connected = await connect(target('localhost', server.port), directly, never);
  expect(connected).toEqual({ kind: 'failed', why: 'the IP address must not be contacted' });
});

it.each(['direct', 'proxy'])('does not contact an IP address that is not allowed (%s)', async (kind) => {
  const server = await mailServer();
  const through = await proxy({});
  const connected = await connect(
    { ip: server.ip, port: server.port, mayContact: (ip) => ip !== server.ip },
    kind === 'direct' ? directly : through.source,
    never,
  );
  expect(connected.kind).toBe('failed');
  expect(through.server.destinations).toEqual([]);
  expect(server.connections).toBe(0);
});

it('says that the machine does not have the local address', async () => {
  const server = await mailServer();
  const connected = await connect(
    target(server.ip, server.port),
    { kind: 'direct', localAddress: '192.0.2.1' },
    never,
  );
  expect(connected).toEqual({ kind: 'failed', why: 'this machine does not have the local IP address' });
});

it('does not begin when there is no time left', async () => {
  const server = await mailServer();
  const connected = await connect(target(server.ip, server.port), directly, AbortSignal.abort());
  expect(connected.kind).toBe('failed');
  expect(server.connections).toBe(0);
});

it('gives up when the time is over', async () => {
  // A documentation address (RFC 5737): nobody answers, or the network says so.
  const connected = await connect(target('192.0.2.1', 25), directly, AbortSignal.timeout(100));
  expect(connected.kind).toBe('failed');
});

it('connects through a proxy, by IP address', async () => {
  const server = await mailServer();
  const { server: socks, source } = await proxy({});
  expect(await firstLine(server, source)).toBe('220 mx.test ESMTP\r\n');
  expect(socks.destinations).toEqual([`127.0.0.1:${server.port}`]);
});

it('logs in to a proxy', async () => {
  const server = await mailServer();
  const { source } = await proxy({ user: 'jane', password: 'p@ss:word/ü' }, 'jane:p%40ss%3Aword%2F%C3%BC@');
  expect(await firstLine(server, source)).toBe('220 mx.test ESMTP\r\n');
});

it.each<[string, SocksScript, string]>([
  ['refuses the password', { user: 'jane', password: 'secret' }, 'jane:wrong-secret@'],
  ['wants a password', { user: 'jane', password: 'secret' }, ''],
  ['cannot connect', { refuseWith: 5 }, 'jane:wrong-secret@'],
])('fails without a trace of the password when the proxy %s', async (_, script, credentials) => {
  const { server, source } = await proxy(script, credentials);
  const connected = await connect(target('127.0.0.1', 9), source, never);
  expect(connected).toEqual({ kind: 'failed', why: `the proxy 127.0.0.1:${server.port} did not connect` });
});

it('fails when the proxy cannot be reached', async () => {
  const { server, source } = await proxy({});
  await server.close();
  open.length = 0;
  const connected = await connect(target('127.0.0.1', 9), source, never);
  expect(connected).toEqual({
    kind: 'failed',
    why: `the proxy 127.0.0.1:${server.port}: connection refused`,
  });
});

it.each(['greeting', 'password', 'connect'] as const)(
  'leaves no socket behind when the proxy is silent at its %s',
  async (silentAt) => {
    const { server, source } = await proxy({ silentAt, user: 'jane', password: 'x' }, 'jane:x@');
    const connected = await connect(target('127.0.0.1', 9), source, AbortSignal.timeout(100));
    expect(connected.kind).toBe('failed');
    await expect.poll(() => server.open).toBe(0);
  },
);
