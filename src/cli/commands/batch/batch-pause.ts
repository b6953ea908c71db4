/** `batch pause`: stops a batch until it is resumed. */
import { pauseBatch } from '../../../service/batch/manage/manage-batches.ts';
import { defineCommand } from '../../command.ts';
import { BATCH_ID, completedAlready, noSuchBatch } from './batch-flag.ts';

export const batchPause = defineCommand({
  words: ['batch', 'pause'],
  description:
    'Pauses a batch. Within about a second, running services start no further address of it. A paused batch stays paused.',
  flags: { id: BATCH_ID },
  example: 'batch pause --id 0123456789abcdef01234567',
  async run({ db }, { id }) {
    const outcome = await pauseBatch(db, { id });
    if (outcome === 'no such batch') throw noSuchBatch(id);
    if (outcome === 'completed already') throw completedAlready(id);
    return { id, status: 'paused', changed: outcome === 'paused' };
  },
});
