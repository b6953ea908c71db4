import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTokenBucket } from '../../../../src/service/batch/live/token-bucket.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Something that begins as often as it may. */
function begin(perSecond: number, burst: number) {
  let begun = 0;
  const bucket = createTokenBucket({ perSecond, burst, resume: beginAll, now: () => Date.now() });
  function beginAll(): void {
    while (bucket.mayBegin()) {
      bucket.begin();
      begun += 1;
    }
  }
  return { bucket, beginAll, begun: () => begun };
}

it('lets a burst begin at once, and the rest spread over time', () => {
  const work = begin(100, 10);
  work.beginAll();
  expect(work.begun()).toBe(10);
  vi.advanceTimersByTime(1_000);
  expect(work.begun()).toBe(110);
});

it('makes up for moments in which the process was busy, up to a burst', () => {
  const work = begin(100, 10);
  work.beginAll();
  vi.setSystemTime(Date.now() + 50);
  work.beginAll();
  expect(work.begun()).toBe(15);
  vi.setSystemTime(Date.now() + 60_000);
  work.beginAll();
  expect(work.begun()).toBe(25);
});

it('leaves no timer behind, and needs none while there is room', () => {
  const work = begin(100, 10);
  expect(work.bucket.mayBegin()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  work.beginAll();
  work.beginAll();
  expect(vi.getTimerCount()).toBe(1);
  work.bucket.stop();
  expect(vi.getTimerCount()).toBe(0);
});
