import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claiming, sharesOf, surplusOf } from '../../../../src/service/batch/live/share-claims.ts';

const claiming = (has: Record<string, number>, waiting: readonly string[], kept = 80): Claiming => ({
  ...{ most: 400, kept, has: new Map(Object.entries(has)), waiting },
});
const shares = (...args: Parameters<typeof claiming>) => Object.fromEntries(sharesOf(claiming(...args)));
const surplus = (...args: Parameters<typeof claiming>) => Object.fromEntries(surplusOf(claiming(...args)));

describe('the shares of claims', () => {
  it('are equal', () => {
    expect(shares({}, ['a', 'b'])).toEqual({ a: 160, b: 160 });
    expect(shares({ a: 100 }, ['a', 'b'])).toEqual({ a: 60, b: 160 });
    const many = Array.from({ length: 100 }, (_, number) => `a${number}`);
    expect(Object.values(shares({}, many))).toEqual(Array(100).fill(3));
  });

  it('leave to the others what an account does not need', () => {
    expect(shares({ small: 20 }, ['a'])).toEqual({ a: 300 });
    expect(shares({ small: 20, medium: 100, large: 180 }, ['large'])).toEqual({ large: 20 });
  });

  it('are everything for an account that is alone', () => {
    expect(shares({ a: 320 }, ['a'], 0)).toEqual({ a: 80 });
  });

  it('leave to other workers what an account has no use for yet', () => {
    const limited = (has: Record<string, number>) =>
      Object.fromEntries(sharesOf({ ...claiming(has, ['a', 'b']), mostOfAccount: 130 }));
    expect(limited({})).toEqual({ a: 130, b: 130 });
    expect(limited({ a: 100, b: 140 })).toEqual({ a: 30 });
  });

  it('leave the kept part to accounts that have none, a few for each', () => {
    expect(shares({ a: 320 }, ['a'])).toEqual({});
    expect(shares({ a: 320 }, ['a', 'b', 'c'])).toEqual({ b: 10, c: 10 });
  });
});

describe('the surplus', () => {
  it('comes from who has the most, and is no more than others need', () => {
    expect(surplus({ a: 300, b: 20 }, ['a', 'b'])).toEqual({ a: 140 });
    expect(surplus({ a: 200, b: 110, c: 10 }, ['c'])).toEqual({ a: 94, b: 2 });
    expect(surplus({ a: 320 }, ['a', 'new'])).toEqual({ a: 10 });
  });

  it('is nothing while there is room', () => {
    expect(surplus({ a: 200 }, ['a', 'b'])).toEqual({});
    expect(surplus({ a: 300, b: 20 }, [])).toEqual({});
  });

  it('is the kept part of an account that is no longer alone', () => {
    expect(surplus({ a: 400 }, ['a'])).toEqual({ a: 80 });
  });
});

it('never exceeds the claims of a process, and keeps its part, whatever accounts have', () => {
  const accounts = fc.uniqueArray(fc.integer({ min: 0, max: 500 }).map(String), { maxLength: 500 });
  const has = fc.dictionary(fc.integer({ min: 0, max: 500 }).map(String), fc.integer({ min: 1, max: 9 }), {
    maxKeys: 40,
  });
  fc.assert(
    fc.property(accounts, has, fc.constantFrom(0, 80), (waiting, had, kept) => {
      const given = shares(had, waiting, kept);
      const total = Object.values({ ...had }).reduce((sum, count) => sum + count, 0);
      const sum = (ids: readonly string[]) => ids.reduce((all, id) => all + given[id]!, 0);
      const names = Object.keys(given);
      expect(total + sum(names)).toBeLessThanOrEqual(400);
      expect(total + sum(names.filter((id) => id in had))).toBeLessThanOrEqual(400 - kept);
      expect(Object.values(given).every((share) => share > 0)).toBe(true);
    }),
  );
});
