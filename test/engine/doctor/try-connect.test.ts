/** The connection that `doctor` tries. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createTryConnect } from '../../../src/engine/doctor/try-connect.ts';
import { createSources } from '../../../src/engine/smtp/sources.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { isPending, stopClock } from '../world/clock.ts';
import { type MailServer, startMailServer } from '../world/mail-server.ts';
import { startSocksServer } from '../world/socks-server.ts';

const never = new AbortController().signal;
const anyIp = () => true;

let server: MailServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
async function start(): Promise<MailServer> {
  server = await startMailServer();
  return server;
}

it('sends QUIT to a server that it reaches, and reports its own IP address', async () => {
  const { port, ip } = await start();
  const tryConnect = createTryConnect(createSources([], []), port, anyIp);
  expect(await tryConnect(ip, never)).toEqual({ kind: 'open', localIp: '127.0.0.1' });
  await server!.whenSent(/^QUIT$/);
  await server!.whenEmpty();
});

it('leaves no timer behind', async () => {
  const { port, ip } = await start();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await createTryConnect(createSources([], []), port, anyIp)(ip, never);
  await server!.whenEmpty();
  for (let turn = 0; turn < 1000 && vi.getTimerCount() > 0; turn += 1) await new Promise(setImmediate);
  expect(vi.getTimerCount()).toBe(0);
});

it('connects from a local IP address of the config', async () => {
  const { port, ip } = await start();
  const tryConnect = createTryConnect(createSources(['127.0.0.7'], []), port, anyIp);
  expect(await tryConnect(ip, never)).toEqual({ kind: 'open', localIp: '127.0.0.7' });
});

it('does not report its IP address through a proxy', async () => {
  const { port, ip } = await start();
  const proxy = await startSocksServer();
  const sources = createSources([], [`socks5://127.0.0.1:${proxy.port}`]);
  expect(await createTryConnect(sources, port, anyIp)(ip, never)).toEqual({
    kind: 'open',
    localIp: undefined,
  });
  await proxy.close();
});

it('says why it cannot connect', async () => {
  const { port } = await start();
  const tryConnect = createTryConnect(createSources([], []), port, anyIp);
  expect(await tryConnect('127.0.9.9', never)).toEqual({ kind: 'closed', why: expect.stringMatching(/\w/) });
  const onlyIpv6 = createTryConnect(createSources(['::1'], []), port, anyIp);
  expect(await onlyIpv6('127.0.0.1', never)).toEqual({
    kind: 'closed',
    why: 'no local IP address of that family',
  });
});

it('does not connect to an IP address that is not allowed', async () => {
  const { port, ip } = await start();
  const tryConnect = createTryConnect(createSources([], []), port, () => false);
  expect((await tryConnect(ip, never)).kind).toBe('closed');
  expect(server!.connections).toBe(0);
});

it('closes the connection of a server that does not end its side after a second', async () => {
  const deaf = createServer({ allowHalfOpen: true });
  const port = await listenOnLoopback(deaf);
  const accepted = once(deaf, 'connection') as Promise<Socket[]>;
  const clock = stopClock();
  await createTryConnect(createSources([], []), port, anyIp)('127.0.0.1', never);
  const [socket] = await accepted;
  // Only a socket that is written to notices that nobody is there.
  const gone = (async () => {
    for (; !socket!.destroyed; await new Promise(setImmediate)) socket!.write('220 still here\r\n');
  })();
  await clock.advance(999);
  expect(await isPending(gone)).toBe(true);
  await clock.advance(1);
  await gone;
});
