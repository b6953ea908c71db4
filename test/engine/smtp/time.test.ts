import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { countdown, within } from '../../../src/engine/smtp/time.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve('at once');
    signal.addEventListener('abort', () => resolve('later'));
  });

it('aborts after the time, and not before', async () => {
  let inTime: AbortSignal | undefined;
  const ended = within(10, undefined, (signal) => {
    inTime = signal;
    return aborted(signal);
  });
  vi.advanceTimersByTime(9);
  expect(inTime?.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await ended).toBe('later');
});

it('aborts with the outer signal, and leaves no timer', async () => {
  const outer = new AbortController();
  const ended = within(10_000, outer.signal, aborted);
  outer.abort();
  expect(await ended).toBe('later');
  expect(await within(10_000, AbortSignal.abort(), aborted)).toBe('at once');
  expect(vi.getTimerCount()).toBe(0);
});

it('takes a time without an end', async () => {
  expect(await within(Number.POSITIVE_INFINITY, undefined, async (signal) => signal.aborted)).toBe(false);
});

it('counts down, and never below zero', () => {
  const time = countdown(100);
  vi.advanceTimersByTime(30);
  expect(time.left()).toBe(70);
  vi.advanceTimersByTime(170);
  expect(time.left()).toBe(0);
  time.extend(200);
  expect(time.left()).toBe(100);
});
