/**
 * Limits of what a network does, counted in the database for all processes together.
 *
 * A flood costs the database little. What comes during a round trip shares the next one, whatever its networks. Once a
 * process knows that a network is refused, it does not ask again until the end of the refusal.
 */
import { siteOf } from '../../shared/ip.ts';
import { RecentMap } from '../core/recent-map.ts';
import { coalesce } from '../database/coalesce.ts';
import type { Db } from '../database/schema.ts';
import { countNetworks } from './limit-store.ts';
import { MOST_NETWORKS, type NetworkLimit, type NetworkRule } from './network-limit.ts';

/** After this time, the next round trip does not wait for a blocked one. */
const COALESCED = { atOnce: 3, most: 1_000, patienceMs: 50 };

export function createStoredNetworkLimit(db: Db, rule: NetworkRule): NetworkLimit {
  const refusedUntil = new RecentMap<string, number>(MOST_NETWORKS);
  const ask = coalesce(
    (asked: Parameters<typeof countNetworks>[2]) => countNetworks(db, rule, asked),
    COALESCED,
  );
  async function find(ip: string, isCounted: boolean): Promise<number> {
    const network = siteOf(ip);
    const knownMs = (refusedUntil.get(network) ?? Number.NEGATIVE_INFINITY) - performance.now();
    if (knownMs > 0) return Math.ceil(knownMs / 1000);
    const seconds = await ask({ network, isCounted });
    if (seconds > 0) refusedUntil.set(network, performance.now() + seconds * 1000);
    return Math.ceil(seconds);
  }
  return { count: (ip) => find(ip, true), refusedFor: (ip) => find(ip, false) };
}
