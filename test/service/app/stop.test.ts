/** The steps of stopping: their order, and what a step or a client that hangs may hold up. */
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endAll, makeStoppable } from '../../../src/service/app/stop.ts';
import { withResolvers } from '../../with-resolvers.ts';

/** Tests turn the clock. Sockets need none. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('stopping', () => {
  it('runs the steps in order, and each learns how much time is left', async () => {
    stopClock();
    const told: [step: string, leftMs: number][] = [];
    const step = (name: string, ms: number) => async (leftMs: number) => {
      told.push([name, leftMs]);
      vi.setSystemTime(Date.now() + ms);
    };
    await endAll([step('first', 4_000), step('second', 9_900), step('third', 5_000), step('last', 0)]);
    // However late it is, a step has a moment.
    expect(told.flat()).toEqual(['first', 14_000, 'second', 10_000, 'third', 500, 'last', 500]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends within 15 seconds although the database hangs', async () => {
    stopClock();
    const ended = vi.fn();
    const ending = endAll([async () => {}, () => new Promise(() => {})]).then(ended);
    await vi.advanceTimersByTimeAsync(14_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toHaveBeenCalled();
    await ending;
  });
});

describe('a server that stops', () => {
  async function serve() {
    const app = Fastify();
    const { promise: answered, resolve: answer } = withResolvers();
    const { promise: hasArrived, resolve: arrived } = withResolvers();
    app.get('/slow', async () => {
      arrived();
      await answered;
      return 'done';
    });
    const stop = makeStoppable(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => app.server.closeAllConnections());
    const { port } = app.server.address() as AddressInfo;
    return { port, stop, answer, hasArrived };
  }

  it('closes idle connections, answers the open request, and keeps no connection after it', async () => {
    const { port, stop, answer, hasArrived } = await serve();
    const idle = connect(port, '127.0.0.1');
    idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    // It has its answer, and may be used again.
    await once(idle, 'data');
    const open = get({ port, path: '/slow', headers: { connection: 'keep-alive' } });
    await hasArrived;
    const stopped = Promise.all([stop(), stop()]);
    idle.resume();
    await once(idle, 'close');
    answer();
    const [response] = await once(open, 'response');
    expect(response.headers.connection).toBe('close');
    expect((await response.toArray()).join('')).toBe('done');
    await stopped;
  });

  it('does not wait for connections that were never used', async () => {
    stopClock();
    const { port, stop } = await serve();
    const unused = connect(port, '127.0.0.1').resume();
    await once(unused, 'connect');
    // The server has accepted it before this response.
    await once(get({ port, path: '/', agent: false }), 'response');
    const closed = once(unused, 'close');
    const stopped = stop();
    await vi.advanceTimersByTimeAsync(50);
    await Promise.all([stopped, closed]);
  });

  it('cuts off a client that takes longer than 12 seconds', async () => {
    stopClock();
    const { port, stop, hasArrived } = await serve();
    const open = get({ port, path: '/slow' });
    const failed = once(open, 'error');
    const cutOff = vi.fn();
    open.on('error', cutOff);
    await hasArrived;
    const stopped = stop();
    await vi.advanceTimersByTimeAsync(11_999);
    expect(cutOff).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await failed)[0].code).toBe('ECONNRESET');
    await stopped;
  });
});
