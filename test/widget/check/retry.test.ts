import { describe, expect, it } from 'vitest';
import { retryPause } from '../../../src/widget/check/retry.ts';

/** When each try is made, counted from the first, when every one is answered with 249 after `answerMs`. */
function schedule(budgetMs: number, answerMs = 0): number[] {
  const tries = [0];
  for (let now = answerMs; ; now += answerMs) {
    const pause = retryPause(tries.length, now, budgetMs);
    if (pause === undefined) return tries;
    now += pause;
    tries.push(now);
    if (tries.length > 50) throw new Error('It never ends.');
  }
}

it('waits longer each time', () => {
  expect(schedule(60_000)).toEqual([0, 250, 750, 1750, 3750]);
});

it('makes five tries at most, however long the time', () => {
  expect(schedule(Number.MAX_SAFE_INTEGER)).toHaveLength(5);
});

it('spreads five tries over the default five seconds', () => {
  expect(schedule(5000)).toHaveLength(5);
});

describe('a try that would come too late is not made', () => {
  it.each([
    [3751, [0, 250, 750, 1750, 3750]],
    [3750, [0, 250, 750, 1750]],
    [2000, [0, 250, 750, 1750]],
    [251, [0, 250]],
    [250, [0]],
    [0, [0]],
  ])('within %i ms', (budgetMs, tries) => {
    expect(schedule(budgetMs)).toEqual(tries);
  });

  it('counting what the answers took', () => {
    expect(schedule(5000, 1000)).toEqual([0, 1250, 2750, 4750]);
    expect(schedule(5000, 4750)).toEqual([0]);
  });
});
