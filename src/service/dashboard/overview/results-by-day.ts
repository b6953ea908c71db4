/** Results by day and state, for charts and figures. */
import { STATES, type State } from '../../../protocol/result.ts';
import { STATE_OF_REASON } from '../../../protocol/state-of-reason.ts';
import type { DailyCount } from '../../usage/usage-store.ts';
import { type StateCounts, sumOf } from '../batches/state-bar.ts';
import { STATE_SERIES } from '../charts/bar-chart.ts';
import { daysUntil } from '../charts/utc-days.ts';

/** The sum of the counts by state. */
export function countStates(counts: readonly DailyCount[]): StateCounts {
  const states = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  for (const { reason, count } of counts) states[STATE_OF_REASON[reason]] += count;
  return states;
}

/** The values are in the order of the chart's series. */
export function statesByDay(
  counts: readonly DailyCount[],
  today: string,
  days: number,
): { day: string; values: number[] }[] {
  const byDay = new Map<string, DailyCount[]>();
  for (const count of counts) byDay.set(count.day, [...(byDay.get(count.day) ?? []), count]);
  return daysUntil(today, days).map((day) => {
    const states = countStates(byDay.get(day) ?? []);
    return { day, values: STATE_SERIES.map(({ name }) => states[name as State]) };
  });
}

/** With fewer results, a share means little. */
const ENOUGH = 50;
const HIGH_SHARE = 0.1;
const HIGH_FACTOR = 2;
const RECENT_DAYS = 2;

/**
 * The share of unknown results of today and yesterday, if it is unusually high: a tenth at least, and twice that of the
 * days before.
 */
export function unusualUnknown(
  counts: readonly DailyCount[],
  today: string,
): { readonly unknown: number; readonly all: number } | undefined {
  const [first] = daysUntil(today, RECENT_DAYS);
  const recent = countStates(counts.filter(({ day }) => day >= first!));
  const earlier = countStates(counts.filter(({ day }) => day < first!));
  const all = sumOf(recent);
  const usual = earlier.unknown / Math.max(1, sumOf(earlier));
  const share = recent.unknown / Math.max(1, all);
  const isUnusual = all >= ENOUGH && share >= HIGH_SHARE && share >= HIGH_FACTOR * usual;
  return isUnusual ? { unknown: recent.unknown, all } : undefined;
}
