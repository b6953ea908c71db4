/** `batch delete`: removes a batch with its addresses and results. */
import { deleteBatch } from '../../../service/batch/manage/manage-batches.ts';
import { defineCommand } from '../../command.ts';
import { required, toggle } from '../../flags.ts';
import { BATCH_ID, noSuchBatch } from './batch-flag.ts';

export const batchDelete = defineCommand({
  words: ['batch', 'delete'],
  description:
    'Deletes a batch with its addresses and results. You cannot undo this. Credits of addresses without a result come back. Those of unknown results come back unless credits.refundUnknown of the config file is false.',
  flags: { id: BATCH_ID, yes: required(toggle('Confirms the deletion.')) },
  example: 'batch delete --id 0123456789abcdef01234567 --yes',
  async run({ db, refundUnknown }, { id }) {
    const outcome = await deleteBatch(db, { id }, { refundUnknown });
    if (outcome.kind === 'no such batch') throw noSuchBatch(id);
    return { id, deleted: true, refunded_credits: outcome.refunded };
  },
});
