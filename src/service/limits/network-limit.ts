/** Limits of what a network does, such as guesses at API keys: their interface, and their in-memory implementation. */
import { siteOf } from '../../shared/ip.ts';
import { RecentMap } from '../core/recent-map.ts';

/** A network that does more than `most` within so many seconds is refused for as many seconds from then on. */
export interface NetworkRule {
  /** What is counted. */
  readonly name: string;
  readonly most: number;
  readonly seconds: number;
}

/** How many unknown keys a network may send. */
export const UNKNOWN_KEYS: NetworkRule = { name: 'unknown keys', most: 100, seconds: 60 };

/** With IPv6, a whole /48 is one network here. */
export interface NetworkLimit {
  /** Counts one more. @returns 0, or for how many seconds the network is refused */
  count(ip: string): number | Promise<number>;
  /** The same without a count. */
  refusedFor(ip: string): number | Promise<number>;
}

/** How many networks are remembered, a megabyte or two. Beyond that, the oldest is forgotten. */
export const MOST_NETWORKS = 10_000;

interface Count {
  count: number;
  /** The end of the time that the count is for, or of the refusals. */
  until: number;
}

/**
 * Counts in this process only.
 *
 * @param now a clock that is never set back, in milliseconds
 */
export function createNetworkLimit(
  { most, seconds }: Pick<NetworkRule, 'most' | 'seconds'>,
  now: () => number = () => performance.now(),
): NetworkLimit {
  const counts = new RecentMap<string, Count>(MOST_NETWORKS);
  const current = (network: string): Count | undefined => {
    const found = counts.get(network);
    return found && now() < found.until ? found : undefined;
  };
  const refusedFor = (ip: string): number => {
    const found = current(siteOf(ip));
    return found && found.count > most ? Math.max(0, Math.ceil((found.until - now()) / 1000)) : 0;
  };
  return {
    count(ip) {
      const network = siteOf(ip);
      const found = current(network) ?? { count: 0, until: now() + seconds * 1000 };
      if (found.count <= most) {
        found.count += 1;
        if (found.count > most) found.until = now() + seconds * 1000;
        counts.set(network, found);
      }
      return refusedFor(ip);
    },
    refusedFor,
  };
}
