/** Keeps the answers of the DNS for as long as their TTL says, within bounds. The clock is the caller's. */

/** Bounds of the contract, in seconds. A TTL of 0 or of a week serves nobody who verifies addresses. */
const [SHORTEST_TTL, LONGEST_TTL] = [60, 3600];

/** For what does not exist. What its SOA says (RFC 2308) is often a day: too long for a domain that is being set up. */
export const NEGATIVE_TTL = 60;

/** For what failed. Just long enough for a batch not to repeat the question for each of its addresses. */
export const FAILURE_TTL = 1;

export interface DnsCache<Value> {
  get(key: string, nowMs: number): Value | undefined;
  /** @param ttl seconds. See {@link boundedTtl} */
  set(key: string, value: Value, ttl: number, nowMs: number): void;
}

export function boundedTtl(ttl: number): number {
  return Math.min(Math.max(ttl, SHORTEST_TTL), LONGEST_TTL);
}

/**
 * @param sizeOf what a value counts. Answers differ a thousandfold, so their number alone is no bound
 * @param mostSize of all values together. The ones that were used longest ago make room
 */
export function createCache<Value>(sizeOf: (value: Value) => number, mostSize: number): DnsCache<Value> {
  /** A map keeps its order: what was used last is at the end. */
  const entries = new Map<string, { value: Value; size: number; until: number }>();
  let size = 0;

  const remove = (key: string) => {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };

  return {
    get(key, nowMs) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.until <= nowMs) {
        remove(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },

    set(key, value, ttl, nowMs) {
      remove(key);
      const entry = { value, size: sizeOf(value) + key.length, until: nowMs + ttl * 1000 };
      if (entry.size > mostSize) return;
      entries.set(key, entry);
      size += entry.size;
      for (const oldest of entries.keys()) {
        if (size <= mostSize) break;
        remove(oldest);
      }
    },
  };
}
