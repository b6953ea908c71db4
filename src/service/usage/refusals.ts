/**
 * Counts where keys are refused. Whoever knows a public key can send as many origins as they like, so little is kept of
 * each key, and the rest is counted together.
 */
export type RefusalKind = 'origin' | 'ip' | 'captcha';

/** Refusals of a key for one reason, from one place. Times are those of the counter's clock. */
export interface Refused {
  readonly keyId: string;
  readonly reason: RefusalKind;
  /** An origin or an IP address. Empty if the requests had none, and for the places beyond `MOST_PLACES`. */
  readonly seenFrom: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** How many keys are counted between two flushes. Only keys that exist are. */
const MOST_KEYS = 1_000;
/** How many places of each key. The database keeps no more of a key either. */
export const MOST_PLACES = 20;
const MOST_CHARACTERS = 255;

type Counted = { -readonly [Name in keyof Refused]: Refused[Name] };

export function createRefusals(now: () => number) {
  let keys = new Map<string, Map<string, Counted>>();

  /** A place that is not known yet. Those beyond the most are one together. */
  function add(places: Map<string, Counted>, keyId: string, reason: RefusalKind, text: string): Counted {
    const seenFrom = places.size < MOST_PLACES ? textOfPlace(text) : '';
    const name = `${reason} ${seenFrom}`;
    const first = now();
    const place = places.get(name) ?? { keyId, reason, seenFrom, count: 0, first, last: first };
    places.set(name, place);
    return place;
  }

  return {
    count(keyId: string, reason: RefusalKind, seenFrom: string): void {
      const places = keys.get(keyId) ?? new Map<string, Counted>();
      if (places.size === 0 && keys.size >= MOST_KEYS) return;
      keys.set(keyId, places);
      const place = places.get(`${reason} ${seenFrom}`) ?? add(places, keyId, reason, seenFrom);
      place.last = now();
      place.count += 1;
    },
    take(): Refused[] {
      const taken = keys;
      keys = new Map();
      return [...taken.values()].flatMap((places) => [...places.values()]);
    },
  };
}

/** A copy, because a part of the request's text would keep all of it in memory. */
const textOfPlace = (text: string): string =>
  Buffer.from(text.slice(0, MOST_CHARACTERS).replace(/[^!-~]/g, '?'), 'latin1').toString('latin1');
