/**
 * Estimates how long a batch still takes, by its pace during the last minutes. Returns no value rather than a poor
 * guess.
 */
import type { RecentProgress } from './pace-store.ts';

/** A shorter measurement is not reliable. */
const SHORTEST_S = 20;
/** The pace of a few minutes does not predict more than a week. */
const LONGEST_S = 7 * 86_400;

export interface Remaining {
  /** Entries without a result that can be verified now, or are being verified. */
  readonly entries: number;
  /** The seconds until the last retry of an address with a temporary result. 0 without retries. */
  readonly retriesInS: number;
}

/** @returns seconds, or undefined without an estimate */
export function timeLeft(
  recent: RecentProgress | undefined,
  { entries, retriesInS }: Remaining,
): number | undefined {
  if (entries === 0) return retriesInS > 0 ? retriesInS : undefined;
  if (!recent || recent.seconds < SHORTEST_S || recent.entries <= 0) return undefined;
  const seconds = Math.max((entries / recent.entries) * recent.seconds, retriesInS);
  return seconds <= LONGEST_S ? seconds : undefined;
}

/** `about 12 minutes`. */
export function sayTimeLeft(seconds: number): string {
  if (seconds < 60) return 'less than a minute';
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
  const hours = Math.round(seconds / 3600);
  return hours < 36 ? `about ${hours} hours` : `about ${Math.round(seconds / 86_400)} days`;
}
