/** Keeps answers of the DNS for their TTL, within bounds. The caller passes in the time. */

/** Bounds in seconds. For verifications, a TTL of 0 or of a week is not useful. */
const [SHORTEST_TTL, LONGEST_TTL] = [60, 3600];

/** For names that do not exist. Their SOA (RFC 2308) often says a day, which is too long while a domain is set up. */
export const NEGATIVE_TTL = 60;

/** For failed lookups. A batch then does not repeat the question for each of its addresses. */
export const FAILURE_TTL = 1;

export function boundedTtl(ttl: number): number {
  return Math.min(Math.max(ttl, SHORTEST_TTL), LONGEST_TTL);
}

/**
 * @param sizeOf returns the size of a value. Answers differ a thousandfold, so their number alone is not a bound
 * @param mostSize the bound for all values together. Beyond it, the least recently used values are removed
 */
export function createCache<Value>(sizeOf: (value: Value) => number, mostSize: number) {
  /** In order of use: the most recent entry is at the end. */
  const entries = new Map<string, { value: Value; size: number; until: number }>();
  let size = 0;

  const remove = (key: string) => {
    size -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };

  return {
    get(key: string, nowMs: number): Value | undefined {
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

    /** @param ttl seconds. See {@link boundedTtl} */
    set(key: string, value: Value, ttl: number, nowMs: number): void {
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
