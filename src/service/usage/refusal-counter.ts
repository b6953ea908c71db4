/**
 * Counts the places where keys are refused. Anyone with a public key can send any number of origins, so only a few
 * places of each key are kept, and the rest share a count.
 */
export type RefusalKind = 'origin' | 'ip' | 'captcha';

/** Refusals of a key for one reason, from one place. Times are by the counter's clock. */
export interface Refused {
  readonly keyId: string;
  readonly reason: RefusalKind;
  /** An origin or an IP address. Empty if the requests had none, and for the places beyond `MOST_PLACES`. */
  readonly seenFrom: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** The most keys counted between two flushes. Only existing keys are counted. */
const MOST_KEYS = 1_000;
/** The most places of each key. The database keeps the same number. */
export const MOST_PLACES = 20;
const MOST_CHARACTERS = 255;

type Counted = { -readonly [Name in keyof Refused]: Refused[Name] };

export function createRefusals(now: () => number) {
  let keys = new Map<string, Map<string, Counted>>();

  /** Adds a new place. Places beyond the limit share one entry. */
  function add(places: Map<string, Counted>, keyId: string, reason: RefusalKind, text: string): Counted {
    const seenFrom = places.size < MOST_PLACES ? textOfPlace(text) : '';
    const name = `${reason} ${seenFrom}`;
    const first = now();
    const place = places.get(name) ?? { keyId, reason, seenFrom, count: 0, first, last: first };
    places.set(name, place);
    return place;
  }

  return {
    /** @param seenFrom an origin or an IP address, from the request */
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

/** A copy, because a substring would keep the whole text of the request in memory. */
const textOfPlace = (text: string): string =>
  Buffer.from(text.slice(0, MOST_CHARACTERS).replace(/[^!-~]/g, '?'), 'latin1').toString('latin1');
