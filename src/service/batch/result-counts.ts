/** Counts the results of a batch: by reason, and by state. */
import { REASONS, type Reason, STATES, type State } from '../../protocol/result.ts';
import { STATE_OF_REASON } from '../../protocol/state-of-reason.ts';

/** The number of distinct addresses with each reason. A missing reason counts 0. */
export type Tally = Readonly<Partial<Record<Reason, number>>>;

export type ReasonCounts = Record<Reason, number>;
export type TotalCounts = Record<State | 'processed' | 'total' | 'duplicate', number>;

/** All reasons, including those with a count of 0. */
export function reasonCounts(tally: Tally): ReasonCounts {
  return Object.fromEntries(REASONS.map((reason) => [reason, tally[reason] ?? 0])) as ReasonCounts;
}

/**
 * The four states count distinct addresses. Their sum plus the duplicates is `processed`.
 *
 * @param duplicates how many entries repeat one that has a result
 * @param total all entries of the batch
 */
export function totalCounts(tally: Tally, duplicates: number, total: number): TotalCounts {
  const states = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  let distinct = 0;
  for (const reason of REASONS) {
    const count = tally[reason] ?? 0;
    states[STATE_OF_REASON[reason]] += count;
    distinct += count;
  }
  return { ...states, duplicate: duplicates, processed: distinct + duplicates, total };
}

interface Counted {
  readonly total: number;
  readonly distinct_total: number;
  readonly reason_counts: Tally | null;
  readonly stopped_after: number | null;
}

/** How many entries of a completed batch repeat an address with a result. */
export function duplicatesOf({ total, distinct_total, reason_counts, stopped_after }: Counted): number {
  if (stopped_after === null) return total - distinct_total;
  return stopped_after - Object.values(reason_counts ?? {}).reduce((sum, count) => sum + count, 0);
}
