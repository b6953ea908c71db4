import { describe, expect, it } from 'vitest';
import { inTurn, median, pairedRatio, quantile, slope, spreadOf } from '../../bench/statistics.ts';

describe('the statistics of a few values', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[10, 9, 100], 10],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('a percentile lies between its neighbours', () => {
    const values = Array.from({ length: 101 }, (_, index) => 100 - index);
    expect([0, 0.05, 0.5, 0.95, 1].map((share) => quantile(values, share))).toEqual([0, 5, 50, 95, 100]);
    expect(quantile([0, 10], 0.25)).toBe(2.5);
  });

  it('no values have no median', () => {
    expect(median([])).toBeNaN();
  });

  it('the spread leaves out one value in twenty', () => {
    const { median, low, high, count } = spreadOf([...Array<number>(40).fill(5), 1_000]);
    expect({ median, low, high, count }).toEqual({ median: 5, low: 5, high: 5, count: 41 });
  });

  it('a ratio compares each value with its neighbour, so that a busy moment affects both', () => {
    expect(pairedRatio([2, 20, 200], [1, 10, 100])).toMatchObject({ median: 2, low: 2, high: 2 });
  });

  it('the slope is the growth per step', () => {
    expect(
      slope([
        [0, 5],
        [10, 25],
        [20, 45],
      ]),
    ).toBe(2);
    expect(
      slope([
        [0, 7],
        [10, 7],
        [20, 7],
      ]),
    ).toBe(0);
  });

  it('each one comes first, and follows each other one', () => {
    const orders = [0, 1, 2, 3, 4, 5].map((round) => inTurn(['a', 'b', 'c'], round).join(''));
    expect(orders).toEqual(['abc', 'bca', 'cab', 'cba', 'acb', 'bac']);
  });
});
