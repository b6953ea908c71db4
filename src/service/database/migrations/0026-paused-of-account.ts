/** The paused batches of an account, those first that the service stops first. */
import { buildIndexes } from '../migration.ts';

export const { up, inSteps = true } = buildIndexes({
  batches_paused_of_account: 'on batches (account_id, paused_at) where paused_at is not null',
});
