/** The body of a batch's status (interface, section 2.2). Callbacks have the same one. */
import { reasonCounts, type Tally, totalCounts } from './result-counts.ts';
import type { BatchResult } from './result-fields.ts';

/** Batches with more entries than this have a file instead of results in the response. */
export const MOST_INLINE = 1_000;

export const MESSAGES = {
  created: 'Batch successfully created.',
  verifying: 'Your batch is being processed.',
  paused: 'Your batch is paused.',
  completed: 'Batch verification completed.',
} as const;

/** For an unknown id, and for another account's. */
export const NO_SUCH_BATCH =
  'There is no batch with this id. Check the id, and send a key of the account that created the batch.';

/** The state of a batch at one moment. */
export interface BatchStatus {
  readonly id: string;
  readonly state: 'verifying' | 'paused' | 'completed';
  readonly total: number;
  /** The counts of the distinct addresses with a result. */
  readonly tally: Tally;
  /** The entries that are equal to one with a result. */
  readonly duplicates: number;
  /** The results, if they are part of the response. */
  readonly emails: readonly Partial<BatchResult>[] | undefined;
  /** The URL of the results, if there is one. */
  readonly downloadFile?: string | undefined;
}

export type StatusBody = { readonly message: string } & Readonly<Record<string, unknown>>;

export function statusBody(status: BatchStatus): StatusBody {
  const { id, state, total, tally, duplicates, emails, downloadFile } = status;
  const message = MESSAGES[state];
  const total_counts = totalCounts(tally, duplicates, total);
  if (state !== 'completed' && !emails) return { message, processed: total_counts.processed, total };
  return {
    message,
    id,
    ...(emails && { emails }),
    ...(downloadFile !== undefined && { download_file: downloadFile }),
    reason_counts: reasonCounts(tally),
    total_counts,
  };
}
