import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPace, end, isQuiet, tryToBegin } from '../../../src/engine/pacing/pace.ts';

/** What happens, each after so many milliseconds. `end` ends one of the open conversations. */
const event = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20_000 })),
  does: fc.oneof(
    { weight: 6, arbitrary: fc.constant('begin' as const) },
    { weight: 5, arbitrary: fc.constant('end' as const) },
    { weight: 1, arbitrary: fc.constant('slow down' as const) },
  ),
  which: fc.nat(20),
});
const limits = fc.record({
  connections: fc.integer({ min: 1, max: 5 }),
  perMinute: fc.integer({ min: 1, max: 12 }),
});

it('never lets more begin at once, in a minute or in a pause than allowed, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 300 }), limits, (events, limits) => {
      const pace = createPace();
      const open: number[] = [];
      const begun: number[] = [];
      let now = 0;
      let pausedUntil = 0;
      let isInSeries = false;
      for (const { afterMs, does, which } of events) {
        now += afterMs;
        if (does === 'begin') {
          const isFree = open.length < (isInSeries ? 1 : limits.connections) && now >= pausedUntil;
          const inMinute = begun.filter((at) => at > now - 60_000).length;
          const hindrance = tryToBegin(pace, limits, now);
          if (hindrance) {
            // It is never held back without a reason. The minute is counted by the whole second.
            const inLongMinute = begun.filter((at) => at > now - 61_000).length;
            expect(isFree && inLongMinute < limits.perMinute).toBe(false);
            continue;
          }
          expect(isFree && inMinute < limits.perMinute).toBe(true);
          open.push(pace.slowDowns);
          begun.push(now);
        } else if (open.length > 0) {
          const [begunAfter] = open.splice(which % open.length, 1);
          const isNew = begunAfter === pace.slowDowns;
          end(pace, begunAfter!, does === 'slow down', now);
          if (isNew && does === 'slow down') {
            const { pausedUntil: until } = pace;
            expect(until - now).toBeGreaterThanOrEqual(isInSeries ? 4_000 : 2_000);
            pausedUntil = until;
          }
          if (isNew) isInSeries = does === 'slow down';
        }
        expect(pace.open).toBe(open.length);
        expect(pace.begun.length).toBeLessThanOrEqual(61);
      }
      for (const begunAfter of open) end(pace, begunAfter, false, now);
      expect(isQuiet(pace, now + 3_600_000)).toBe(true);
    }),
  );
});

it('reports exactly when the minute has room', () => {
  const pace = createPace();
  const limits = { connections: 100, perMinute: 3 };
  for (const now of [10_900, 10_950, 20_000]) expect(tryToBegin(pace, limits, now)).toBeUndefined();
  expect(tryToBegin(pace, limits, 30_000)).toEqual({ heldBack: 'per minute', until: 71_000 });
  // With a lower limit, more have to be a minute ago.
  expect(tryToBegin(pace, { ...limits, perMinute: 1 }, 30_000)).toEqual({
    heldBack: 'per minute',
    until: 81_000,
  });
  expect(tryToBegin(pace, limits, 70_999)).toBeDefined();
  expect(tryToBegin(pace, limits, 71_000)).toBeUndefined();
});

it('counts conversations of the same second together', () => {
  const pace = createPace();
  const limits = { connections: 100, perMinute: 100 };
  for (const now of [10_000, 10_999, 11_000]) tryToBegin(pace, limits, now);
  expect(pace.begun).toEqual([
    { second: 10, count: 2 },
    { second: 11, count: 1 },
  ]);
});

describe('a pause', () => {
  const limits = { connections: 5, perMinute: 100 };
  /** One conversation that began at `now` is told to slow down. */
  const pausedAt = (now: number) => {
    const pace = createPace();
    tryToBegin(pace, limits, now);
    end(pace, pace.slowDowns, true, now);
    return pace;
  };

  it('holds back until it ends, and then lets one conversation try', () => {
    const pace = pausedAt(10_000);
    expect(pace.slowDowns).toBe(1);
    expect(tryToBegin(pace, limits, 11_999)).toEqual({ heldBack: 'paused', until: 12_000 });
    expect(tryToBegin(pace, limits, 12_000)).toBeUndefined();
    expect(tryToBegin(pace, limits, 12_000)).toEqual({ heldBack: 'paused', until: 0 });
  });

  it('is the reason unless the minute lasts longer', () => {
    const strict = { connections: 5, perMinute: 1 };
    const pace = createPace();
    tryToBegin(pace, strict, 10_000);
    end(pace, pace.slowDowns, true, 69_000);
    expect(tryToBegin(pace, strict, 70_000)).toEqual({ heldBack: 'paused', until: 71_000 });
    const early = createPace();
    tryToBegin(early, strict, 10_000);
    end(early, early.slowDowns, true, 68_999);
    expect(tryToBegin(early, strict, 70_000)).toEqual({ heldBack: 'per minute', until: 71_000 });
  });

  it('is remembered for ten minutes after its end', () => {
    const pace = pausedAt(10_000);
    expect(isQuiet(pace, 612_000)).toBe(false);
    expect(isQuiet(pace, 612_001)).toBe(true);
  });
});

it('is not quiet while a conversation goes on, however long', () => {
  const pace = createPace();
  tryToBegin(pace, { connections: 1, perMinute: 1 }, 0);
  expect(isQuiet(pace, 3_600_000)).toBe(false);
  end(pace, 0, false, 3_600_000);
  expect(isQuiet(pace, 3_600_000)).toBe(true);
});
