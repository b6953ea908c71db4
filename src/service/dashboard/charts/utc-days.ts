/** Days in UTC, as charts and tables use them: `2026-11-23`. */

const DAY_MS = 86_400_000;
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** Whether a text is a day that its month has: `2026-02-30` is not one, and PostgreSQL does not take it. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && dayOf(new Date(time)) === text;
}

/** The last `count` days up to this one, oldest first. */
export function daysUntil(last: string, count: number): string[] {
  const end = Date.parse(last);
  return Array.from({ length: count }, (_, index) => dayOf(new Date(end - (count - 1 - index) * DAY_MS)));
}

/** `23 Nov` */
export const shortDay = (day: string): string => SHORT.format(new Date(day));
/** `23 November 2026` */
export const longDay = (day: string): string => LONG.format(new Date(day));
/** `November 2026` @param month as `2026-11` */
export const longMonth = (month: string): string => MONTH.format(new Date(month));
