import { expect, it } from 'vitest';
import { counted, lasting } from '../../src/service/words.ts';

it('counts one and several', () => {
  expect([
    counted(1, 'address', 'addresses'),
    counted(0, 'address', 'addresses'),
    counted(2, 'hour'),
  ]).toEqual(['1 address', '0 addresses', '2 hours']);
});

it.each([
  [0, '0 seconds'],
  [1_999, '1 second'],
  [119_999, '119 seconds'],
  [120_000, '2 minutes'],
  [7_199_999, '119 minutes'],
  [7_200_000, '2 hours'],
  [47 * 3_600_000, '47 hours'],
  [48 * 3_600_000, '2 days'],
])('calls %i ms %s, in either direction', (ms, words) => {
  const now = new Date();
  const other = new Date(now.getTime() + ms);
  expect([lasting(now, other), lasting(other, now)]).toEqual([words, words]);
});
