import { describe, expect, it } from 'vitest';
import type { DaySum } from '../../../../src/service/credits/history/ledger-store.ts';
import { daysUntil } from '../../../../src/service/dashboard/charts/utc-days.ts';
import { balanceByDay } from '../../../../src/service/dashboard/overview/credit-history.ts';
import { statesByDay, unusualUnknown } from '../../../../src/service/dashboard/overview/results-by-day.ts';
import type { DailyCount } from '../../../../src/service/usage/usage-store.ts';

const today = '2026-03-10';
const sum = (day: string, why: DaySum['why'], amount: number): DaySum => ({ day, why, amount, count: 1 });

describe('the history of credits', () => {
  it('follows from the credits of now and the changes of each day', () => {
    const sums = [
      sum('2026-02-27', 'top-up', 100),
      sum('2026-03-09', 'verification', -30),
      sum('2026-03-09', 'refund', 5),
      sum('2026-03-10', 'batch', -20),
    ];
    const history = balanceByDay({ available: 55, today, sums }, 13);
    expect(history.map(({ value }) => value)).toEqual([0, ...Array(10).fill(100), 75, 55]);
    expect([history[0]!.day, history.at(-1)!.day]).toEqual(['2026-02-26', today]);
  });

  it('leaves out the time before the day of the first credits, but for one', () => {
    const history = balanceByDay({ available: 9, today, sums: [sum(today, 'top-up', 9)] }, 30);
    expect(history.map(({ value }) => value)).toEqual([0, 9]);
    expect(balanceByDay({ available: 0, today, sums: [] }, 30)).toHaveLength(30);
    const empty = balanceByDay(
      { available: 0, today, sums: [sum('2026-03-01', 'top-up', 9), sum('2026-03-02', 'batch', -9)] },
      30,
    );
    expect(empty.map(({ value }) => value)).toEqual([0, 9, ...Array(9).fill(0)]);
  });
});

describe('results', () => {
  const result = (day: string, reason: DailyCount['reason'], count: number): DailyCount => ({
    day,
    reason,
    count,
  });

  it('are counted by state, also for days without any', () => {
    const counts = [
      result('2026-03-08', 'invalid_email', 9),
      result('2026-03-09', 'accepted_email', 5),
      result('2026-03-09', 'timeout', 1),
      result('2026-03-09', 'no_connect', 2),
    ];
    expect(statesByDay(counts, today, 2)).toEqual([
      { day: '2026-03-09', values: [5, 0, 0, 3] },
      { day: '2026-03-10', values: [0, 0, 0, 0] },
    ]);
  });

  it.each([
    ['twice as often as before', 12, 5, true],
    ['about as often as before', 12, 10, false],
    ['seldom', 9, 0, false],
  ])('are unusual if they are unknown %s', (_name, recent, earlier, isUnusual) => {
    const counts = [
      ...daysUntil('2026-03-08', 5).flatMap((day) => [
        result(day, 'accepted_email', 100 - earlier),
        result(day, 'timeout', earlier),
      ]),
      result('2026-03-09', 'accepted_email', 100 - recent),
      result(today, 'timeout', recent),
    ];
    expect(unusualUnknown(counts, today)).toEqual(isUnusual ? { unknown: recent, all: 100 } : undefined);
  });

  it('are not unusual while there are few', () => {
    expect(unusualUnknown([result(today, 'timeout', 49)], today)).toBeUndefined();
    expect(unusualUnknown([result(today, 'timeout', 50)], today)).toEqual({ unknown: 50, all: 50 });
  });
});
