/** `batch stop`: completes a batch with the results so far. */
import { stopBatch } from '../../../service/batch/manage/manage-batches.ts';
import { defineCommand } from '../../command.ts';
import { BATCH_ID, completedAlready, noSuchBatch } from './batch-flag.ts';

export const batchStop = defineCommand({
  words: ['batch', 'stop'],
  description:
    'Stops a batch for good. It is completed with the results so far, which are kept as long as those of any other batch, and its callback is sent. Credits of addresses without a result come back. Those of unknown results come back unless credits.refundUnknown of the config file is false.',
  flags: { id: BATCH_ID },
  example: 'batch stop --id 0123456789abcdef01234567',
  async run({ db, durations, refundUnknown }, { id }) {
    const outcome = await stopBatch(db, { id }, { durations, refundUnknown });
    if (outcome.kind === 'no such batch') throw noSuchBatch(id);
    if (outcome.kind !== 'stopped') throw completedAlready(id);
    return { id, status: 'stopped', refunded_credits: outcome.refunded };
  },
});
