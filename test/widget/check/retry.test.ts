import { expect, it } from 'vitest';
import { retryPause } from '../../../src/widget/check/retry.ts';

it('waits longer each time', () => {
  expect([1, 2, 3, 4].map(retryPause)).toEqual([250, 500, 1000, 2000]);
});

it('ends after five tries', () => {
  for (const tried of [5, 6, 1000]) expect(retryPause(tried)).toBe(false);
});
