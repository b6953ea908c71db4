/** `batch pause`: stops a batch until it is resumed. */
import { pauseBatch } from '../../service/batch/manage/manage.ts';
import { defineCommand } from '../command.ts';
import { BATCH_ID, completedAlready, noSuchBatch } from './batch-flag.ts';

export const batchPause = defineCommand({
  words: ['batch', 'pause'],
  description:
    'Pauses a batch. Running services begin with no further address of it after about a second. A batch that is paused already stays paused.',
  flags: { id: BATCH_ID },
  example: 'batch pause --id 0123456789abcdef01234567',
  async run({ db }, { id }) {
    const outcome = await pauseBatch(db, { id });
    if (outcome === 'no such batch') throw noSuchBatch(id);
    if (outcome === 'completed already') throw completedAlready(id);
    return { id, status: 'paused', changed: outcome === 'paused' };
  },
});
