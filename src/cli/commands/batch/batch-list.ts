/** `batch list`: the latest batches, of all accounts or of one. */
import { listBatches } from '../../../service/batch/overview/batch-overview-store.ts';
import { defineCommand } from '../../command.ts';
import { listFlags, selectionOf } from '../owner-flag.ts';
import { batchJson } from './batch-json.ts';

export const batchList = defineCommand({
  words: ['batch', 'list'],
  description:
    'Lists batches, the newest first. If emptied_at has a time, the addresses of the batch have been deleted.',
  flags: listFlags('batches', 'Only those that are not completed.'),
  example: 'batch list --email ada@example.com --open',
  run: async ({ db }, wish) => (await listBatches(db, await selectionOf(db, wish))).map(batchJson),
});
