/** The use of an account's credits in the last week, and whether they run low. */
import type { Credits, DaySum } from '../history/ledger-store.ts';

const SPENT = ['verification', 'batch'];
const GIVEN_BACK = ['refund', 'batch-refund'];
/** The days of the week, including today. */
export const WEEK = 7;
/** For so many days more, the credits should last. */
const DAYS_AHEAD = 3;
const DAY_MS = 86_400_000;

export interface Week {
  readonly spent: number;
  readonly givenBack: number;
  /** How many days the credits last at this pace. Undefined if nothing was spent. */
  readonly daysLeft: number | undefined;
}

type Sums = Pick<Credits, 'available' | 'today' | 'sums'>;

/** The seven days up to today. */
export function lastWeek({ available, today, sums }: Sums): Week {
  const first = new Date(Date.parse(today) - (WEEK - 1) * DAY_MS).toISOString().slice(0, 10);
  const recent = sums.filter(({ day }) => day >= first);
  const sum = (kinds: readonly string[]) =>
    recent.reduce((total, { why, amount }: DaySum) => (kinds.includes(why) ? total + amount : total), 0);
  // Subtracted, because negating 0 would give -0.
  const [spent, givenBack] = [0 - sum(SPENT), sum(GIVEN_BACK)];
  const used = spent - givenBack;
  return { spent, givenBack, daysLeft: used > 0 ? (available * WEEK) / used : undefined };
}

/** Credits that are below what the account needs. */
export interface RunningLow {
  readonly available: number;
  /** What three more days like those of the last week need, or the operator's least if that is more. */
  readonly needed: number;
  /** As in `Week`. */
  readonly daysLeft: number | undefined;
}

/**
 * @param least the setting `credits.low` @returns undefined for an account that has enough, or has never had credits
 */
export function findRunningLow(credits: Credits, least = 0): RunningLow | undefined {
  const { available } = credits;
  const { spent, givenBack, daysLeft } = lastWeek(credits);
  const ahead = Math.ceil(((spent - givenBack) * DAYS_AHEAD) / WEEK);
  const needed = Math.max(ahead, credits.isUsed ? least : 0);
  return available < needed ? { available, needed, daysLeft } : undefined;
}
