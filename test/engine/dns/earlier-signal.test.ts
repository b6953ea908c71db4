import { expect, it, onTestFinished, vi } from 'vitest';
import { earlierSignal } from '../../../src/engine/dns/earlier-signal.ts';

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

it('aborts with the other signal, at once if that has aborted already', async () => {
  const other = new AbortController();
  const { signal } = earlierSignal(other.signal);
  expect(signal.aborted).toBe(false);
  other.abort();
  expect(signal.aborted).toBe(true);
  expect(earlierSignal(other.signal).signal.aborted).toBe(true);
});

it('aborts earlier, by the first time that it was given', async () => {
  const earlier = earlierSignal(new AbortController().signal);
  const start = performance.now();
  earlier.abortIn(10);
  earlier.abortIn(60_000);
  await aborted(earlier.signal);
  expect(performance.now() - start).toBeLessThan(1000);
});

it('stays as it is after its release', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const other = new AbortController();
  const earlier = earlierSignal(other.signal);
  earlier.abortIn(0);
  earlier.release();
  other.abort();
  vi.runAllTimers();
  expect(earlier.signal.aborted).toBe(false);
});
