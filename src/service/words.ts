/** Numbers and durations in words, for operators. */

/** `1 address`, `2 addresses`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

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
