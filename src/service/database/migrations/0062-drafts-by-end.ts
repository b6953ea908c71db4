/** Finds the drafts that have ended. */
import { buildIndexes } from '../migration.ts';

export const draftsByEnd = buildIndexes({
  lists_ending: 'on lists (ends_at) where batch_id is null',
});
