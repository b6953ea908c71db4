/** What the commands share about the credits that a key may spend in a day. */
import { UsageError } from '../../../service/core/usage-error.ts';

export { MOST_DAILY_CREDITS } from '../../../service/keys/manage/manage-keys.ts';

export const testKeysAreFree = (): UsageError =>
  new UsageError('Expected no --daily-credits for a test key, which costs no credits, got one. Remove it.');
