import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EarlierSignal, OwnSignal, type Signal, within } from '../../src/engine/signal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('calls each listener once, except those that were removed, also by another one', () => {
  const ending = new OwnSignal();
  const [first, second, third] = [vi.fn(() => ending.removeEventListener('abort', second)), vi.fn(), vi.fn()];
  for (const listener of [first, first, second, third]) ending.addEventListener('abort', listener);
  ending.removeEventListener('abort', third);
  expect(ending.aborted).toBe(false);
  ending.abort();
  ending.abort();
  expect([first, second, third].map((listener) => listener.mock.calls.length)).toEqual([1, 0, 0]);
});

it('is aborted when it calls its listeners, and takes no others after that', () => {
  const ending = new OwnSignal();
  const late = vi.fn();
  const seen: boolean[] = [];
  ending.addEventListener('abort', () => {
    seen.push(ending.aborted);
    ending.addEventListener('abort', late);
  });
  ending.abort();
  ending.abort();
  expect([seen, late.mock.calls]).toEqual([[true], []]);
});

it('aborts with the other signal, at once if that has aborted already', () => {
  const other = new AbortController();
  const signal = new EarlierSignal(other.signal);
  expect(signal.aborted).toBe(false);
  other.abort();
  expect(signal.aborted).toBe(true);
  expect(new EarlierSignal(other.signal).aborted).toBe(true);
});

it('aborts earlier, by the first time that it was given', () => {
  const earlier = new EarlierSignal(new AbortController().signal);
  earlier.abortIn(10);
  earlier.abortIn(5);
  vi.advanceTimersByTime(9);
  expect(earlier.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(earlier.aborted).toBe(true);
});

it('stays as it is after its release', () => {
  const other = new AbortController();
  const earlier = new EarlierSignal(other.signal);
  earlier.abortIn(0);
  earlier.release();
  other.abort();
  vi.runAllTimers();
  expect(earlier.aborted).toBe(false);
});

const aborted = (signal: Signal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve('at once');
    signal.addEventListener('abort', () => resolve('later'));
  });

it('aborts after the time, and not before', async () => {
  let inTime: Signal | undefined;
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
