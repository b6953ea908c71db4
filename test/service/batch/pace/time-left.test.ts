import { expect, it } from 'vitest';
import { sayTimeLeft, timeLeft } from '../../../../src/service/batch/pace/time-left.ts';

const left = (entries: number, retriesInS = 0, recent?: { entries: number; seconds: number }) =>
  timeLeft(recent, { entries, retriesInS });

it('goes by the pace of the last minutes', () => {
  expect(left(600, 0, { entries: 100, seconds: 120 })).toBe(720);
});

it('says nothing while nothing is known', () => {
  expect(left(600)).toBeUndefined();
  expect(left(600, 0, { entries: 100, seconds: 19 })).toBeUndefined();
  expect(left(600, 0, { entries: 0, seconds: 120 })).toBeUndefined();
  expect(left(1e9, 0, { entries: 1, seconds: 120 })).toBeUndefined();
  expect(left(0)).toBeUndefined();
});

it('is not over before the last address is tried again', () => {
  expect(left(10, 900, { entries: 100, seconds: 100 })).toBe(900);
  expect(left(0, 900)).toBe(900);
});

it('is said in round words', () => {
  const said = [0, 59, 60, 89, 720, 5_940, 7_200, 86_400, 260_000].map(sayTimeLeft);
  expect(said).toEqual([
    ...['less than a minute', 'less than a minute', 'about a minute', 'about a minute', 'about 12 minutes'],
    ...['about 99 minutes', 'about 2 hours', 'about 24 hours', 'about 3 days'],
  ]);
});
