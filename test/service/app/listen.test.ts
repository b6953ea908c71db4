/** The port of the service: the next free one for the demo, and otherwise the one that was set. */
import { createServer } from 'node:http';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { ListenError, listen } from '../../../src/service/app/listen.ts';
import { listenOnLoopback } from '../../loopback.ts';

const takePort = () => listenOnLoopback(createServer());

function open() {
  const app = Fastify();
  onTestFinished(() => app.close());
  return app;
}

it('does not move from a port in use, and names the setting', async () => {
  const port = await takePort();
  const attempt = listen(open(), '127.0.0.1', port, 1);
  await expect(attempt).rejects.toBeInstanceOf(ListenError);
  await expect(attempt).rejects.toThrow(
    `Expected port ${port} on 127.0.0.1 to be free, but another program uses it. Stop that program, or set another port with --port (0 takes a free one).`,
  );
  const names = { port: 'metrics.port in the config', host: 'metrics.host in the config' };
  const message = 'set another port with metrics.port in the config';
  await expect(listen(open(), '127.0.0.1', port, 1, names)).rejects.toThrow(message);
});

it('takes the next free port if it may', async () => {
  const port = await takePort();
  const address = await listen(open(), '127.0.0.1', port, 50);
  expect(Number(new URL(address).port)).toBeGreaterThan(port);
});

it('refuses a host that is not of this machine', async () => {
  const message = 'Expected a host of this machine, got 192.0.2.1 (EADDRNOTAVAIL). Set one with --host.';
  await expect(listen(open(), '192.0.2.1', 0, 1)).rejects.toThrow(message);
});
