/** The parts of a batch that the batch commands print. */
import type { BatchSummary } from '../../../service/batch/overview/batch-overview-store.ts';

/** The status of the batch in one word. */
function statusOf({
  completed_at,
  paused_at,
  stopped_after,
}: Pick<BatchSummary, 'completed_at' | 'paused_at' | 'stopped_after'>) {
  if (completed_at) return stopped_after === null ? 'completed' : 'stopped';
  return paused_at ? 'paused' : 'verifying';
}

export const timeJson = (at: Date | null) => at?.toISOString() ?? null;

export function batchJson(batch: BatchSummary) {
  const { id, owner_email, mode, total, processed } = batch;
  return {
    ...{ id, owner_email, mode, status: statusOf(batch), processed, total },
    created_at: timeJson(batch.created_at),
    paused_at: timeJson(batch.paused_at),
    completed_at: timeJson(batch.completed_at),
    expires_at: timeJson(batch.expires_at),
    emptied_at: timeJson(batch.emptied_at),
  };
}
