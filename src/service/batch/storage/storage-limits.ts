/** How much the batches of an account may store. */
import { Failure } from '../../core/failures.ts';
import type { Mode } from '../../database/schema.ts';

export interface StorageLimits {
  /** The entries of batches whose rows are kept. */
  readonly entries: number;
  /** The batches that are not completed. */
  readonly openBatches: number;
}

/** For accounts without their own limit. */
export const LIVE_STORAGE: StorageLimits = { entries: 5_000_000, openBatches: 1_000 };

/** For the batches of test keys, which cost nothing. An account's own limit counts only if it is smaller. */
export const TEST_STORAGE: StorageLimits = { entries: 100_000, openBatches: 20 };

/**
 * How many batches of test keys an account makes in a day (UTC). What they store ends within a day, but their entries of
 * the audit log and the tries of their callbacks stay, and nothing of it costs a credit.
 */
export const MOST_TEST_BATCHES = 10_000;

/** The longest entry that is stored as it is, in bytes. No address is longer. */
export const LONGEST_ENTRY = 320;

/** What a batch with an uploaded list counts for. Its rows may be much larger than its addresses. */
export const entriesOfList = (total: number, bytes: number): number =>
  Math.max(total, Math.ceil(bytes / LONGEST_ENTRY));

/** What the batches of one mode store, and their limits. */
export interface Storage {
  readonly mode: Mode;
  readonly stored: StorageLimits;
  readonly limits: StorageLimits;
  /** How many batches of this mode were made today. */
  readonly madeToday: number;
}

/** Whether one more batch with so many entries can be stored. */
export const hasRoom = (storage: Storage, entries: number): boolean =>
  storage.stored.entries + entries <= storage.limits.entries &&
  storage.stored.openBatches < storage.limits.openBatches &&
  !hasMadeMost(storage);

const hasMadeMost = ({ mode, madeToday }: Storage): boolean =>
  mode === 'test' && madeToday >= MOST_TEST_BATCHES;

/** The sentence for a batch that cannot be stored. It names the limit. */
export function whyFull(storage: Storage, entries: number): string {
  const { mode, stored, limits } = storage;
  if (hasMadeMost(storage))
    return `Expected at most ${MOST_TEST_BATCHES} batches of test keys in a day, got one more. Put more addresses into each, or send it again tomorrow (UTC).`;
  if (stored.openBatches >= limits.openBatches)
    return `Expected at most ${limits.openBatches} open batches of ${mode} keys, got one more. Wait until one of them is completed, or delete one.`;
  return `Expected at most ${limits.entries} stored entries in batches of ${mode} keys, got ${stored.entries + entries}. Delete a batch, or wait until results expire.`;
}

const RETRY_SECONDS = 3_600;

/** The 429 for it. */
export const storageFull = (storage: Storage, entries: number): Failure =>
  new Failure('tooManyRequests', whyFull(storage, entries), { 'Retry-After': String(RETRY_SECONDS) });
