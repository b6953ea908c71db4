/** Credits over time: the balance by day, and the use of a week. */
import type { Credits, DaySum } from '../../credits/history/ledger-store.ts';
import { daysUntil } from '../charts/utc-days.ts';

const SPENT = ['verification', 'batch'];
const GIVEN_BACK = ['refund', 'batch-refund'];
const WEEK = 7;

/**
 * The credits at the end of each day, computed backwards from the current balance, which is the sum of the ledger. Days
 * before the first credits are left out, except the last of them.
 */
export function balanceByDay(
  { available, today, sums }: Pick<Credits, 'available' | 'today' | 'sums'>,
  count: number,
): { day: string; value: number }[] {
  const changed = new Map<string, number>();
  for (const { day, amount } of sums) changed.set(day, (changed.get(day) ?? 0) + amount);
  let value = available;
  const points = daysUntil(today, count)
    .reverse()
    .map((day) => {
      const point = { day, value };
      value -= changed.get(day) ?? 0;
      return point;
    })
    .reverse();
  const first = points.findIndex((point) => point.value > 0);
  return points.slice(Math.max(0, first - 1));
}

export interface Week {
  readonly spent: number;
  readonly givenBack: number;
  /** How many days the credits last at this pace, rounded down. Undefined if nothing was spent. */
  readonly daysLeft: number | undefined;
}

/** The seven days up to today. */
export function lastWeek({ available, today, sums }: Pick<Credits, 'available' | 'today' | 'sums'>): Week {
  const [first] = daysUntil(today, WEEK);
  const recent = sums.filter(({ day }) => day >= first!);
  const sum = (kinds: readonly string[]) =>
    recent.reduce((total, { why, amount }: DaySum) => (kinds.includes(why) ? total + amount : total), 0);
  // Subtracted, because negating 0 would give -0.
  const [spent, givenBack] = [0 - sum(SPENT), sum(GIVEN_BACK)];
  const used = spent - givenBack;
  return { spent, givenBack, daysLeft: used > 0 ? Math.floor((available * WEEK) / used) : undefined };
}
