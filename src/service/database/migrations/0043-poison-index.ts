/** Finds the addresses that processes have died over. Otherwise, the end of a large batch would look for them in all rows. */
import { buildIndexes } from '../migration.ts';

export const poisonIndex = buildIndexes({
  batch_rows_poison: 'on batch_rows (batch_id) where deaths >= 3',
});
