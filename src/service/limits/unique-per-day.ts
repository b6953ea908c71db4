/** Ten different addresses a day for each visitor of a live public key (interface, sections 5.4 and 6.2). */
import { createHash } from 'node:crypto';
import { networkOf } from '../../shared/ip.ts';
import { RecentMap } from '../core/recent-map.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** About 100 MB at ten addresses each. Beyond that, the limit drops the earliest visitor of today. */
const MAX_VISITORS = 100_000;

/** Days are those of UTC. */
export interface UniquePerDayLimit {
  /** Whether the visitor may verify this address: it is one of today's, or there is room for it. Does not count it. */
  allows(visitor: Visitor, address: string): boolean | Promise<boolean>;
  /** Counts the address, unless it is one of today's. @returns false if there was no room */
  take(visitor: Visitor, address: string): Taken | Promise<Taken>;
  /** Counts the visitor's latest address no longer, if it is this one: nothing was verified. */
  giveBack(visitor: Visitor, address: string): void | Promise<void>;
  /** Seconds until the next day begins, 1 or more. */
  secondsToReset(): number | Promise<number>;
}

/** Whether the address is new today. */
export type Taken = 'new' | 'known' | false;

export type Visitor = { readonly keyId: string; readonly ip: string };

/** Days are in UTC. Keeps only today's digests, and no addresses in clear text. */
export function createUniquePerDayLimit(max: number): UniquePerDayLimit {
  let today = -1;
  const asked = new RecentMap<string, Set<string>>(MAX_VISITORS);

  /** Today's addresses of a visitor. Stores nothing, so that a visitor without a solved captcha replaces no other. */
  const addressesOf = (name: string): Set<string> | undefined => {
    const day = Math.floor(Date.now() / DAY_MS);
    if (day !== today) asked.clear();
    today = day;
    return asked.get(name);
  };

  const hasRoom = (addresses: Set<string> | undefined, address: string): boolean =>
    addresses === undefined || addresses.size < max || addresses.has(digest(address));

  return {
    allows: (visitor, address) => hasRoom(addressesOf(nameOf(visitor)), address),
    take(visitor, address) {
      const name = nameOf(visitor);
      const addresses = addressesOf(name);
      if (addresses?.has(digest(address))) return 'known';
      if (!hasRoom(addresses, address)) return false;
      if (addresses) addresses.add(digest(address));
      else asked.set(name, new Set([digest(address)]));
      return 'new';
    },
    giveBack(visitor, address) {
      const addresses = addressesOf(nameOf(visitor));
      if (addresses && [...addresses].at(-1) === digest(address)) addresses.delete(digest(address));
    },
    secondsToReset: () => Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000),
  };
}

const nameOf = ({ keyId, ip }: Visitor): string => `${keyId} ${networkOf(ip)}`;

/** Case does not matter, because no major provider distinguishes `Jo@` from `jo@`. */
function digest(address: string): string {
  return createHash('sha256').update(address.toLowerCase()).digest('base64').slice(0, 16);
}
