/** Finds the batches that may be complete. Their workers may have died before they completed them. */
import { buildIndexes } from '../migration.ts';

export const newProgressIndex = buildIndexes({
  batch_progress_new: 'on batch_progress (batch_id) where is_new',
});
