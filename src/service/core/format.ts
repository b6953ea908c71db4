/** Writes numbers, counts, shares, moments and durations in one way, on all pages and in every command. */

const NUMBER = new Intl.NumberFormat('en-GB');
const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });
const PER_CENT = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** `12,300`. */
export const figure = (number: number): string => NUMBER.format(number);

/** `12.3K`, for the side of a chart. */
export const compact = (number: number): string => COMPACT.format(number);

/** `+5`, `−1,200`: with a real minus sign, which is as wide as a plus sign. */
export const signed = (number: number): string =>
  `${number > 0 ? '+' : number < 0 ? '−' : ''}${figure(Math.abs(number))}`;

/** `1 credit`, `12,300 credits`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${figure(count)} ${count === 1 ? one : many}`;

/** `1 address`, `12,300 addresses`. */
export const addresses = (count: number): string => counted(count, 'address', 'addresses');

/** The text with a capital. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The beginning of a text, if that has more UTF-16 code units. It cuts no character in two. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

/** `24.6 %`. Only zero shows as 0 %, and only the total as 100 %. */
export function share(count: number, total: number): string {
  if (count === 0) return '0 %';
  if (count === total) return '100 %';
  if (count / total < 0.001) return '<0.1 %';
  return count / total > 0.999 ? '>99.9 %' : `${PER_CENT.format((100 * count) / total)} %`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** `27 Nov 2026, 14:05 UTC`. Pages show it in the time zone of their reader (`dashboard/moment.ts`). */
export const momentText = (at: Date): string => `${MOMENT.format(at)} UTC`;

const SECOND_MS = 1_000;
/** Each unit, and the least milliseconds for it. Below two minutes, seconds are clearer. */
const UNITS = [
  { unit: 'day', ms: 86_400_000, from: 2 * 86_400_000 },
  { unit: 'hour', ms: 3_600_000, from: 2 * 3_600_000 },
  { unit: 'minute', ms: 60_000, from: 2 * 60_000 },
  { unit: 'second', ms: SECOND_MS, from: 0 },
] as const;

/** The time between two moments, whichever is earlier, as `3 minutes`. */
export function lasting(one: Date, other: Date): string {
  const between = Math.abs(one.getTime() - other.getTime());
  const { unit, ms } = UNITS.find(({ from }) => between >= from)!;
  return counted(Math.floor(between / ms), unit);
}
