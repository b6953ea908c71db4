/** What a sample says about its list. */
import { expect, it } from 'vitest';
import { forecastOf, sayForecast } from '../../../../src/service/dashboard/lists/forecast-words.ts';

const rounded = (...args: Parameters<typeof forecastOf>) =>
  Object.values(forecastOf(...args)).map((rate) => Math.round(1000 * rate));

it('has the interval of Wilson for a list that is much larger', () => {
  // R: prop.test(81, 100, correct = FALSE) gives 0.722 to 0.875.
  expect(rounded(81, 100, 1_000_000_000)).toEqual([810, 722, 875]);
  expect(rounded(0, 100, 1_000_000_000)).toEqual([0, 0, 37]);
  expect(rounded(100, 100, 1_000_000_000)).toEqual([1000, 963, 1000]);
});

it('is narrower for a large part of a list, and certain for the whole', () => {
  const [, least, most] = rounded(81, 100, 200) as [number, number, number];
  expect(least).toBeGreaterThan(722);
  expect(most).toBeLessThan(875);
  expect(rounded(81, 100, 100)).toEqual([810, 810, 810]);
  expect(rounded(1, 1, 1)).toEqual([1000, 1000, 1000]);
});

it('says the share, its margin and the numbers of addresses', () => {
  expect(sayForecast(81, 100, 10_000)).toBe(
    'You can probably send to about 81 % of the 10,000 addresses. In 19 of 20 lists with such a sample, it is between 72 % and 87 %: here, 7,227 to 8,746 addresses.',
  );
  const said = 'You can probably send to about 81 % of the 100 addresses. That is 81 addresses.';
  expect(sayForecast(81, 100, 100)).toBe(said);
});
