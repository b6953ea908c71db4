/** The port of metrics. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createMetrics } from '../../../../src/service/operations/metrics/metrics.ts';
import { createMetricsServer } from '../../../../src/service/operations/metrics/metrics-server.ts';
import { figureOf, parseText } from './scrape.ts';

function start(read: () => Promise<string> = async () => 'evw_ready 1\n') {
  const app = createMetricsServer({ read, contentType: 'text/plain; version=0.0.4; charset=utf-8' });
  onTestFinished(() => app.close());
  return app;
}

it('serves the figures in the form that Prometheus reads', async () => {
  const answer = await start().inject('/metrics');
  expect([answer.statusCode, answer.body]).toEqual([200, 'evw_ready 1\n']);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect((await start().inject({ method: 'HEAD', url: '/metrics' })).body).toBe('');
});

it.each([
  ['GET', '/', 404],
  ['GET', '/metrics/hush', 404],
  ['POST', '/metrics', 404],
  ['GET', '/%zz', 400],
  ['GET', '/v1/verify?email=hush', 404],
] as const)('answers %s %s with %i, and does not quote it', async (method, url, status) => {
  const answer = await start().inject({ method, url });
  expect([answer.statusCode, Object.keys(answer.json())]).toEqual([status, ['message']]);
  expect(answer.body).not.toMatch(/hush|zz/);
});

it('does not quote an error', async () => {
  const answer = await start(() => Promise.reject(new Error('hush'))).inject('/metrics');
  expect([answer.statusCode, answer.body]).toEqual([500, expect.not.stringContaining('hush')]);
});

it('reads once for scrapes at the same time', async () => {
  const metrics = createMetrics({ role: 'all', version: '1.2.3' });
  const whyNotReady = vi.fn(() => undefined);
  metrics.setSources({ whyNotReady });
  const texts = await Promise.all(Array.from({ length: 50 }, () => metrics.read()));
  expect([new Set(texts).size, whyNotReady.mock.calls.length]).toEqual([1, 1]);
  const samples = parseText(texts[0]!);
  expect(figureOf(samples, 'evw_ready')).toBe(1);
  expect(figureOf(samples, 'evw_process_info', { role: 'all', version: '1.2.3' })).toBe(1);
  // A service without a database says nothing about one.
  expect(samples.filter(({ name }) => /database|queue|callbacks$/.test(name))).toEqual([]);
  expect(samples.some(({ name }) => name === 'nodejs_eventloop_lag_seconds')).toBe(true);
});

it('is not ready before the process has been put together', async () => {
  const samples = parseText(await createMetrics({ role: 'web', version: '1' }).read());
  expect(figureOf(samples, 'evw_ready')).toBe(0);
});

it('takes a hundred connections, and closes more of them', async () => {
  const app = start();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const sockets = Array.from({ length: 101 }, () => connect({ host: '127.0.0.1', port }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on('error', () => {});
  await Promise.race(sockets.map((socket) => once(socket, 'close')));
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)));
  expect(await connections()).toBe(100);
});
