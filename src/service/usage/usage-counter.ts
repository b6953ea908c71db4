/**
 * Counts the use of keys and refusals in memory, for the dashboard. A request costs a map lookup and no round trip,
 * because `flush-usage.ts` adds the counts to the database about once a second. A killed process loses about a second of
 * counts. Results are not counted here: they are counted with the statement that stores them.
 */
import { createRefusals, type RefusalKind, type Refused } from './refusal-counter.ts';

export interface UsedKey {
  readonly keyId: string;
  /** When it was used last, by the clock of the counter. */
  readonly at: number;
}

/** The most keys counted between two flushes. Only existing ones are counted. */
const MOST_KEYS = 10_000;

/** The counts of a process. Each process has one. */
export interface UsageCounter {
  /** A monotonic clock in milliseconds. The database computes the actual time. */
  readonly now: () => number;
  /** Counts an admitted request with the key. */
  countUse(keyId: string): void;
  /** @param seenFrom an origin or an IP address, from the request */
  countRefusal(keyId: string, kind: RefusalKind, seenFrom: string): void;
  /** These return the counts and reset them. */
  takeUses(): UsedKey[];
  takeRefusals(): Refused[];
}

export function createUsageCounter(now: () => number = () => performance.now()): UsageCounter {
  let uses = new Map<string, number>();
  const refusals = createRefusals(now);
  return {
    now,
    countUse(keyId) {
      if (uses.size < MOST_KEYS || uses.has(keyId)) uses.set(keyId, now());
    },
    countRefusal: refusals.count,
    takeUses() {
      const taken = uses;
      uses = new Map();
      return [...taken].map(([keyId, at]) => ({ keyId, at }));
    },
    takeRefusals: refusals.take,
  };
}
