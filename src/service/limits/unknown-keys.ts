/**
 * Slows down guesses at API keys. It counts in this process only: a count in the database would give a flood of unknown
 * keys a write each, and a key has so many values that more processes do not help to guess it.
 */
import { siteOf } from '../../shared/ip.ts';
import { RecentMap } from '../core/recent-map.ts';

/** How many unknown keys a network may send in a minute. With IPv6, a whole /48 is one network here. */
const MOST = 100;
const MINUTE_MS = 60_000;
/** How many networks are remembered, a megabyte or two. Beyond that, the oldest is forgotten. */
const MOST_NETWORKS = 10_000;

export interface UnknownKeyLimit {
  /** Counts an unknown key. Only counts while the network is not refused. */
  count(ip: string): void;
  /** @returns 0, or for how many seconds unknown keys of the network are refused */
  refusedFor(ip: string): number;
}

interface Count {
  keys: number;
  /** The end of the minute that the count is for, or of the minute of refusals. */
  until: number;
}

/** @param now a clock that is never set back, in milliseconds */
export function createUnknownKeyLimit(now: () => number = () => performance.now()): UnknownKeyLimit {
  const counts = new RecentMap<string, Count>(MOST_NETWORKS);
  const current = (network: string): Count | undefined => {
    const found = counts.get(network);
    return found && now() < found.until ? found : undefined;
  };
  return {
    count(ip) {
      const network = siteOf(ip);
      const count = current(network) ?? { keys: 0, until: now() + MINUTE_MS };
      if (count.keys > MOST) return;
      count.keys += 1;
      if (count.keys > MOST) count.until = now() + MINUTE_MS;
      counts.set(network, count);
    },
    refusedFor(ip) {
      const count = current(siteOf(ip));
      return count && count.keys > MOST ? Math.ceil((count.until - now()) / 1000) : 0;
    },
  };
}
