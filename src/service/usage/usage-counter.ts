/**
 * Counts the use of keys and refusals in memory, for the dashboard. A request costs a map lookup and no round trip,
 * because `flush-usage.ts` adds the counts to the database about once a second. A killed process loses about a second of
 * counts. Results are not counted here: they are counted with the statement that stores them.
 */
import { createRefusals } from './refusal-counter.ts';

export interface UsedKey {
  readonly keyId: string;
  /** When it was used last, by the clock of the counter. */
  readonly at: number;
}

/** The most keys counted between two flushes. Only existing ones are counted. */
const MOST_KEYS = 10_000;

/** The counts of a process. Each process has one. */
export type UsageCounter = ReturnType<typeof createUsageCounter>;

export function createUsageCounter(now: () => number = () => performance.now()) {
  let uses = new Map<string, number>();
  const refusals = createRefusals(now);
  return {
    /** A monotonic clock in milliseconds. The database computes the actual time. */
    now,
    /** Counts an admitted request with the key. */
    countUse(keyId: string): void {
      if (uses.size < MOST_KEYS || uses.has(keyId)) uses.set(keyId, now());
    },
    countRefusal: refusals.count,
    /** These return the counts and reset them. */
    takeUses(): UsedKey[] {
      const taken = uses;
      uses = new Map();
      return [...taken].map(([keyId, at]) => ({ keyId, at }));
    },
    takeRefusals: refusals.take,
  };
}
