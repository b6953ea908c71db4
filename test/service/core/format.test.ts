import { expect, it } from 'vitest';
import {
  addresses,
  capital,
  compact,
  counted,
  figure,
  lasting,
  share,
  shorten,
  signed,
} from '../../../src/service/core/format.ts';

it('counts one and several', () => {
  expect([addresses(1), addresses(0), counted(2, 'hour')]).toEqual(['1 address', '0 addresses', '2 hours']);
});

it('writes thousands, signs and short numbers in one way', () => {
  const written = [figure(12_300), addresses(2000), compact(12_345)];
  expect(written).toEqual(['12,300', '2,000 addresses', '12.3k']);
  expect([signed(5), signed(-1200), signed(0)]).toEqual(['+5', '−1,200', '0']);
});

it('writes a capital, and the beginning of a text without half a character', () => {
  expect([capital('risky'), capital('')]).toEqual(['Risky', '']);
  expect([shorten('abcd', 4), shorten('abcde', 4), shorten('ab😀d', 4)]).toEqual(['abcd', 'abc…', 'ab…']);
});

it('writes a share with one decimal, and 0 % and 100 % only for none and all', () => {
  const shares = [share(0, 0), share(0, 5), share(1, 3), share(1, 2000), share(1999, 2000), share(5, 5)];
  expect(shares).toEqual(['0 %', '0 %', '33.3 %', '<0.1 %', '>99.9 %', '100 %']);
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
