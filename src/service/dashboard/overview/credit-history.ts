/** Credits over time: the balance by day. */
import type { Credits } from '../../credits/history/ledger-store.ts';
import { daysUntil } from '../charts/utc-days.ts';

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
