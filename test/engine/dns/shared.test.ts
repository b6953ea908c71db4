import { expect, it, vi } from 'vitest';
import { createShared } from '../../../src/engine/dns/shared.ts';
import type { Signal } from '../../../src/engine/signal.ts';

const forever = () => new AbortController().signal;

/** An attempt that ends by `finish`, or with `ended` when nobody waits any more. */
function attempt() {
  let finish!: (value: string) => void;
  const start = vi.fn(
    (signal: Signal) =>
      new Promise<string>((resolve) => {
        finish = resolve;
        signal.addEventListener('abort', () => resolve('ended'));
      }),
  );
  return { start, finish: (value: string) => finish(value) };
}

it('makes one attempt for all callers at the same time', async () => {
  const shared = createShared<string>();
  const { start, finish } = attempt();
  const waits = [1, 2, 3].map(() => shared.join('a', start, forever()));
  finish('value');
  expect(await Promise.all(waits)).toEqual(['value', 'value', 'value']);
  expect(start).toHaveBeenCalledTimes(1);
});

it('makes separate attempts for different keys', async () => {
  const shared = createShared<string>();
  const [a, b] = [attempt(), attempt()];
  const waits = [shared.join('a', a.start, forever()), shared.join('b', b.start, forever())];
  a.finish('1');
  b.finish('2');
  expect(await Promise.all(waits)).toEqual(['1', '2']);
});

it('begins again after a result', async () => {
  const shared = createShared<string>();
  const { start, finish } = attempt();
  for (const value of ['1', '2']) {
    const wait = shared.join('a', start, forever());
    finish(value);
    expect(await wait).toBe(value);
  }
  expect(start).toHaveBeenCalledTimes(2);
});

it('goes on for the others when one leaves', async () => {
  const shared = createShared<string>();
  const { start, finish } = attempt();
  const leaving = new AbortController();
  const left = shared.join('a', start, leaving.signal);
  const stays = shared.join('a', start, forever());
  leaving.abort();
  expect(await left).toBeUndefined();
  finish('value');
  expect(await stays).toBe('value');
});

it('ends the attempt when the last caller leaves, and begins again for the next', async () => {
  const shared = createShared<string>();
  const [first, second] = [attempt(), attempt()];
  const leaving = new AbortController();
  const waits = [1, 2].map(() => shared.join('a', first.start, leaving.signal));
  leaving.abort();
  expect(await Promise.all(waits)).toEqual([undefined, undefined]);
  expect(first.start.mock.calls[0]![0].aborted).toBe(true);
  const next = shared.join('a', second.start, forever());
  second.finish('value');
  expect(await next).toBe('value');
});

it('keeps the next attempt when the one before it ends late', async () => {
  const shared = createShared<string>();
  const [slow, second] = [attempt(), attempt()];
  const leaving = new AbortController();
  let finishSlow!: (value: string) => void;
  const left = shared.join(
    'a',
    () => new Promise<string>((resolve) => (finishSlow = resolve)),
    leaving.signal,
  );
  leaving.abort();
  await left;
  const waits = [shared.join('a', second.start, forever())];
  finishSlow('late');
  await Promise.resolve();
  waits.push(shared.join('a', slow.start, forever()));
  second.finish('value');
  expect(await Promise.all(waits)).toEqual(['value', 'value']);
  expect(slow.start).not.toHaveBeenCalled();
});

it('begins nothing for a caller who has left', async () => {
  const { start } = attempt();
  expect(await createShared<string>().join('a', start, AbortSignal.abort())).toBeUndefined();
  expect(start).not.toHaveBeenCalled();
});

it('ends every attempt when it closes', async () => {
  const shared = createShared<string>();
  const { start } = attempt();
  const wait = shared.join('a', start, forever());
  shared.close();
  expect(await wait).toBe('ended');
});
