import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { earlierSignal } from '../../../src/engine/dns/earlier-signal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('aborts with the other signal, at once if that has aborted already', () => {
  const other = new AbortController();
  const { signal } = earlierSignal(other.signal);
  expect(signal.aborted).toBe(false);
  other.abort();
  expect(signal.aborted).toBe(true);
  expect(earlierSignal(other.signal).signal.aborted).toBe(true);
});

it('aborts earlier, by the first time that it was given', () => {
  const earlier = earlierSignal(new AbortController().signal);
  earlier.abortIn(10);
  earlier.abortIn(5);
  vi.advanceTimersByTime(9);
  expect(earlier.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(earlier.signal.aborted).toBe(true);
});

it('stays as it is after its release', () => {
  const other = new AbortController();
  const earlier = earlierSignal(other.signal);
  earlier.abortIn(0);
  earlier.release();
  other.abort();
  vi.runAllTimers();
  expect(earlier.signal.aborted).toBe(false);
});
