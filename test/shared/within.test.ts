import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { within } from '../../src/shared/within.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('returns the value of a promise that is in time, and leaves no timer behind', async () => {
  expect(await within(100, Promise.resolve('in time'), 'late')).toBe('in time');
  expect(vi.getTimerCount()).toBe(0);
});

it.each([['late'], [undefined]])('returns %s after the time', async (otherwise) => {
  const waited = within(100, new Promise(() => {}), otherwise);
  vi.advanceTimersByTime(100);
  expect(await waited).toBe(otherwise);
});

it('rejects with the promise, and leaves no timer behind', async () => {
  await expect(within(100, Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});
