/**
 * Counts the activity of accounts and keys in memory, for the dashboard. A request costs a map lookup and no round
 * trip, because `flush-usage.ts` adds the counts to the database about once a second. The counts are for charts and are not
 * the ledger. A killed process loses about a second of counts, but never a credit.
 */
import { REASONS, type Reason } from '../../protocol/result.ts';
import type { UsedKey } from '../keys/key-store.ts';
import { createRefusals, type RefusalKind, type Refused } from './refusal-counter.ts';

export type Source = 'verify' | 'batch';
export type Mode = 'test' | 'live';

/** Results of one kind. */
export interface CountedResults {
  readonly accountId: string;
  readonly source: Source;
  readonly mode: Mode;
  readonly reason: Reason;
  readonly count: number;
  /** When the first of them was counted, by the clock of the counter. */
  readonly since: number;
}

/** The most accounts, and the most keys, counted between two flushes. Only existing ones are counted. */
const MOST_SUBJECTS = 10_000;

/** The counts of each account. */
const KINDS = (['test', 'live'] as const).flatMap((mode) =>
  (['verify', 'batch'] as const).flatMap((source) => REASONS.map((reason) => ({ source, mode, reason }))),
);
const PLACES = new Map(REASONS.map((reason, index) => [reason, index]));

const placeOf = (source: Source, mode: Mode, reason: Reason): number =>
  PLACES.get(reason)! + REASONS.length * ((mode === 'live' ? 2 : 0) + (source === 'batch' ? 1 : 0));

/** The counts of a process. Each process has one. */
export interface UsageCounter {
  /** A monotonic clock in milliseconds. The database computes the actual time. */
  readonly now: () => number;
  /** @param count how many results at once @default 1 */
  countResult(accountId: string, source: Source, mode: Mode, reason: Reason, count?: number): void;
  /** Counts an admitted request with the key. */
  countUse(keyId: string): void;
  /** @param seenFrom an origin or an IP address, from the request */
  countRefusal(keyId: string, kind: RefusalKind, seenFrom: string): void;
  /** These return the counts and reset them. */
  takeResults(): CountedResults[];
  takeUses(): UsedKey[];
  takeRefusals(): Refused[];
}

export function createUsageCounter(now: () => number = () => performance.now()): UsageCounter {
  let results = new Map<string, { readonly since: number; readonly counts: Float64Array }>();
  let uses = new Map<string, number>();
  const refusals = createRefusals(now);
  return {
    now,
    countResult(accountId, source, mode, reason, count = 1) {
      let found = results.get(accountId);
      if (!found) {
        if (results.size >= MOST_SUBJECTS) return;
        found = { since: now(), counts: new Float64Array(KINDS.length) };
        results.set(accountId, found);
      }
      const place = placeOf(source, mode, reason);
      found.counts[place] = found.counts[place]! + count;
    },
    countUse(keyId) {
      if (uses.size < MOST_SUBJECTS || uses.has(keyId)) uses.set(keyId, now());
    },
    countRefusal: refusals.count,
    takeResults() {
      const taken = results;
      results = new Map();
      return [...taken].flatMap(([accountId, { since, counts }]) =>
        KINDS.flatMap((kind, place) => {
          const count = counts[place]!;
          return count === 0 ? [] : [{ accountId, ...kind, count, since }];
        }),
      );
    },
    takeUses() {
      const taken = uses;
      uses = new Map();
      return [...taken].map(([keyId, at]) => ({ keyId, at }));
    },
    takeRefusals: refusals.take,
  };
}
