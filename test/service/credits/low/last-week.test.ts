import { describe, expect, it } from 'vitest';
import type { DaySum } from '../../../../src/service/credits/history/ledger-store.ts';
import { findRunningLow, lastWeek } from '../../../../src/service/credits/low/last-week.ts';

const today = '2026-03-10';
const sum = (day: string, why: DaySum['why'], amount: number): DaySum => ({ day, why, amount, count: 1 });
const SPENT = [
  sum('2026-03-04', 'verification', -50),
  sum(today, 'batch', -30),
  sum(today, 'batch-refund', 10),
];

describe('the use of a week', () => {
  const week = (available: number, ...sums: DaySum[]) => lastWeek({ available, today, sums });

  it('is what was spent and given back on its seven days', () => {
    expect(week(50, ...SPENT)).toEqual({ spent: 80, givenBack: 10, daysLeft: 5 });
    expect(week(50, sum('2026-03-03', 'verification', -50), ...SPENT)).toEqual(week(50, ...SPENT));
    expect(week(5).spent).toBe(0);
  });

  it('says how long credits last, unless there was none', () => {
    expect(week(0, ...SPENT).daysLeft).toBe(0);
    expect(week(14, ...SPENT).daysLeft).toBe(1.4);
    const before = sum('2026-03-03', 'verification', -50);
    expect(week(50, before, sum(today, 'top-up', 5)).daysLeft).toBeUndefined();
    expect(week(9, sum(today, 'verification', -1), sum(today, 'refund', 1)).daysLeft).toBeUndefined();
    expect(week(9, sum(today, 'verification', -1), sum(today, 'refund', 3)).daysLeft).toBeUndefined();
  });
});

describe('credits run low', () => {
  const low = (available: number, least?: number, sums = SPENT, isUsed = true) =>
    findRunningLow({ available, today, sums, isUsed, createdAt: new Date(0) }, least);

  it('below what three more days like those of the week need', () => {
    expect(low(29)).toEqual({ available: 29, needed: 30, daysLeft: 2.9 });
    expect(low(30)).toBeUndefined();
    // A part of a credit is one.
    expect(low(30, undefined, [sum(today, 'batch', -71)])).toMatchObject({ needed: 31 });
  });

  it('below the least number of the operator, whatever the pace', () => {
    expect(low(30, 100)).toEqual({ available: 30, needed: 100, daysLeft: 3 });
    expect(low(29, 10)).toMatchObject({ needed: 30 });
    expect(low(100, 100)).toBeUndefined();
    expect(low(99, 100, [])).toEqual({ available: 99, needed: 100, daysLeft: undefined });
  });

  it('never of an account that has had none', () => {
    expect(low(0, undefined, [], false)).toBeUndefined();
    expect(low(0, 100, [], false)).toBeUndefined();
    expect(low(0, 100, [], true)).toMatchObject({ needed: 100 });
  });
});
