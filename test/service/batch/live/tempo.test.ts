import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTempo } from '../../../../src/service/batch/live/tempo.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Something that begins as often as it may. */
function begin(perSecond: number, burst: number) {
  let begun = 0;
  const tempo = createTempo({ perSecond, burst, resume: beginAll, now: () => Date.now() });
  function beginAll(): void {
    while (tempo.mayBegin()) {
      tempo.begin();
      begun += 1;
    }
  }
  return { tempo, beginAll, begun: () => begun };
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
  expect(work.tempo.mayBegin()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  work.beginAll();
  work.beginAll();
  expect(vi.getTimerCount()).toBe(1);
  work.tempo.stop();
  expect(vi.getTimerCount()).toBe(0);
});
