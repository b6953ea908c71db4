/** The flag that names a key by its id, and the error for an id without a key. */

import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { required, text } from '../../flags.ts';

export const KEY_ID = required(text('ID', 'The id of the key, from key create or key list.'));

/** For `--id` with an id that belongs to no usable key. */
export function noSuchKey(id: string): UsageError {
  return new UsageError(
    `Expected --id to be the id of a key that is not revoked, got ${quote(id)}. Run key list to see the ids.`,
  );
}
