/** Indexes by which the housekeeping finds what has ended. */
import { buildIndexes } from '../migration.ts';

export const { up, inSteps = true } = buildIndexes({
  accounts_deleted: 'on accounts (deleted_at) where deleted_at is not null',
  batches_paused: 'on batches (paused_at) where paused_at is not null',
  batches_deleted: 'on batches (emptied_at) where account_id is null',
  batches_samples: "on batches (emptied_at) where mode = 'test' and emptied_at is not null",
  batches_completed: 'on batches (completed_at) where completed_at is not null',
  callback_tries_by_age: 'on callback_tries (at)',
  batch_marks_by_age: 'on batch_marks (at)',
});
