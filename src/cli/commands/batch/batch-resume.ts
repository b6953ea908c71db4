/** `batch resume`: continues a paused batch. */
import { resumeBatch } from '../../../service/batch/manage/manage-batches.ts';
import { defineCommand } from '../../command.ts';
import { BATCH_ID, completedAlready, noSuchBatch } from './batch-flag.ts';

export const batchResume = defineCommand({
  words: ['batch', 'resume'],
  description:
    'Resumes a paused batch. Running services continue it within about a second. A batch that is not paused continues as before.',
  flags: { id: BATCH_ID },
  example: 'batch resume --id 0123456789abcdef01234567',
  async run({ db }, { id }) {
    const outcome = await resumeBatch(db, { id });
    if (outcome === 'no such batch') throw noSuchBatch(id);
    if (outcome === 'completed already') throw completedAlready(id);
    return { id, status: 'verifying', changed: outcome === 'resumed' };
  },
});
