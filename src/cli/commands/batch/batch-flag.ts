/** The flag that names a batch, and the error for an id without one. */

import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { required, text } from '../../flags.ts';

export const BATCH_ID = required(text('ID', 'The id that batch list prints.'));

/** For `--id` with an unknown id. */
export function noSuchBatch(id: string): UsageError {
  return new UsageError(
    `Expected --id to be the id of a batch, got ${quote(id)}. Run batch list to see the latest.`,
  );
}

/** For a change that is not possible after a batch is completed. */
export function completedAlready(id: string): UsageError {
  return new UsageError(
    `Expected --id to be the id of an open batch, got ${quote(id)}, which is completed. Run batch list --open to see the open ones.`,
  );
}
