/** Tells how long a batch still takes, by its pace during the last minutes. It says nothing rather than a guess. */
import type { RecentProgress } from './store.ts';

/** What is measured over less time says too little. */
const SHORTEST_S = 20;
/** Beyond a week, the pace of some minutes tells nothing. */
const LONGEST_S = 7 * 86_400;

export interface Remaining {
  /** Entries without a result that can be verified now, or are being verified. */
  readonly entries: number;
  /** In how many seconds the last address is tried again that got a temporary result. 0 if there is none. */
  readonly retriesInS: number;
}

/** @returns seconds, or undefined if they cannot be known */
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
