import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createUniquePerDayLimit } from '../../../src/service/limits/unique-per-day.ts';
import { inLong } from '../../in-long.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }));
afterEach(() => void vi.useRealTimers());

const VISITOR = { keyId: 'key', ip: '198.51.100.7' };

it('counts when it takes, not when it is asked', () => {
  const limit = createUniquePerDayLimit(1);
  expect([limit.allows(VISITOR, 'a@b.example'), limit.allows(VISITOR, 'c@d.example')]).toEqual([true, true]);
  expect([limit.take(VISITOR, 'a@b.example'), limit.take(VISITOR, 'c@d.example')]).toEqual(['new', false]);
  expect([limit.allows(VISITOR, 'A@B.example'), limit.allows(VISITOR, 'c@d.example')]).toEqual([true, false]);
});

it('counts each key and each network by itself', () => {
  const limit = createUniquePerDayLimit(1);
  limit.take(VISITOR, 'a@b.example');
  expect(limit.take({ ...VISITOR, keyId: 'other' }, 'c@d.example')).toBe('new');
  expect(limit.take({ ...VISITOR, ip: '198.51.100.8' }, 'c@d.example')).toBe('new');
  limit.take({ keyId: 'key', ip: '2001:db8:0:1::1' }, 'a@b.example');
  expect(limit.take({ keyId: 'key', ip: '2001:db8:0:1:ffff::2' }, 'c@d.example')).toBe(false);
  expect(limit.take({ keyId: 'key', ip: '2001:db8:0:2::1' }, 'c@d.example')).toBe('new');
});

inLong('forgets who came first today once more than 100,000 have come', () => {
  const limit = createUniquePerDayLimit(1);
  limit.take(VISITOR, 'a@b.example');
  const arrive = (number: number) => limit.take({ keyId: 'key', ip: `visitor ${number}` }, 'a@b.example');
  for (let number = 1; number < 100_000; number += 1) arrive(number);
  expect(limit.allows(VISITOR, 'c@d.example')).toBe(false);
  arrive(100_000);
  expect(limit.allows(VISITOR, 'c@d.example')).toBe(true);
});

it('keeps the count of a visitor however many others ask without solving a captcha', () => {
  const limit = createUniquePerDayLimit(1);
  limit.take(VISITOR, 'a@b.example');
  for (let number = 0; number <= 100_000; number += 1)
    limit.allows({ keyId: 'key', ip: `visitor ${number}` }, 'a@b.example');
  expect(limit.allows(VISITOR, 'c@d.example')).toBe(false);
});

it('begins anew at midnight in UTC, and says how long that is', () => {
  vi.setSystemTime(Date.UTC(2026, 0, 1, 23, 59, 58));
  const limit = createUniquePerDayLimit(1);
  limit.take(VISITOR, 'a@b.example');
  expect(limit.secondsToReset()).toBe(2);
  vi.setSystemTime(Date.now() + 1999);
  expect([limit.take(VISITOR, 'c@d.example'), limit.secondsToReset()]).toEqual([false, 1]);
  vi.setSystemTime(Date.now() + 1);
  expect([limit.take(VISITOR, 'c@d.example'), limit.secondsToReset()]).toEqual(['new', 86_400]);
});
