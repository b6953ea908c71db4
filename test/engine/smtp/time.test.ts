import { expect, it } from 'vitest';
import { countdown, within } from '../../../src/engine/smtp/time.ts';

const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (signal.aborted) resolve('at once');
    signal.addEventListener('abort', () => resolve('later'));
  });

it('aborts after the time', async () => {
  expect(await within(10, undefined, aborted)).toBe('later');
});

it('aborts with the outer signal', async () => {
  expect(await within(10_000, AbortSignal.timeout(10), aborted)).toBe('later');
  expect(await within(10_000, AbortSignal.abort(), aborted)).toBe('at once');
});

it('takes a time without an end', async () => {
  expect(await within(Number.POSITIVE_INFINITY, undefined, async (signal) => signal.aborted)).toBe(false);
});

it('never counts below zero', () => {
  const time = countdown(-100);
  expect(time.left()).toBe(0);
  time.extend(200);
  expect(time.left()).toBeGreaterThan(50);
});
