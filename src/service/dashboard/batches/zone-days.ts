/** Days in a time zone, as moments. `Intl` knows the zones of browsers, of which PostgreSQL may lack the old names. */
import type { Span } from '../../batch/overview/batch-overview-store.ts';
import { dayOf } from '../charts/utc-days.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No zone is further from UTC than 14 hours. */
const FARTHEST_MS = 15 * HOUR_MS;

/** Whether a text is the name of a time zone. */
export function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** @param day of `isDay()` @param zone of `isZone()` */
export function spanOf(day: string, zone: string): Span {
  return { from: beginOf(day, zone), until: beginOf(dayOf(new Date(Date.parse(day) + DAY_MS)), zone) };
}

/** The first moment of a day, which is not midnight where summer time begins then. */
function beginOf(day: string, zone: string): Date {
  // Swedish days are written like those of ISO 8601.
  const days = new Intl.DateTimeFormat('sv', { timeZone: zone });
  let [before, begun] = [Date.parse(day) - FARTHEST_MS, Date.parse(day) + FARTHEST_MS];
  while (begun - before > 1) {
    const middle = Math.floor((before + begun) / 2);
    if (days.format(middle) < day) before = middle;
    else begun = middle;
  }
  return new Date(begun);
}
