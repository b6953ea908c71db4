/**
 * Counts in memory what accounts and keys do, for the dashboard. A request pays a look into a map, and no round trip:
 * `flush.ts` adds the counts to the database about once a second. It is a chart, and not the ledger. A process that is
 * killed loses about a second of it, and never a credit.
 */
import { REASONS, type Reason } from '../../interface/result.ts';
import { createRefusals, type RefusalKind, type Refused } from './refusals.ts';

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

export interface UsedKey {
  readonly keyId: string;
  /** When it was used last, by the clock of the counter. */
  readonly at: number;
}

/** How many accounts, and how many keys, are counted between two flushes. Only those that exist are counted. */
const MOST_SUBJECTS = 10_000;

/** Each account has a count for each of them. */
const KINDS = (['test', 'live'] as const).flatMap((mode) =>
  (['verify', 'batch'] as const).flatMap((source) => REASONS.map((reason) => ({ source, mode, reason }))),
);
const PLACES = new Map(REASONS.map((reason, index) => [reason, index]));

const placeOf = (source: Source, mode: Mode, reason: Reason): number =>
  PLACES.get(reason)! + REASONS.length * ((mode === 'live' ? 2 : 0) + (source === 'batch' ? 1 : 0));

/** What a process counts. Each process has one. */
export interface UsageCounter {
  /** Milliseconds of a clock that never goes back. The database knows what time it was. */
  readonly now: () => number;
  /** @param count how many results at once @default 1 */
  countResult(accountId: string, source: Source, mode: Mode, reason: Reason, count?: number): void;
  /** A request came with the key, and was admitted. */
  countUse(keyId: string): void;
  /** @param seenFrom an origin or an IP address, as the request says it */
  countRefusal(keyId: string, kind: RefusalKind, seenFrom: string): void;
  /** These take what has been counted. What comes later is counted anew. */
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
