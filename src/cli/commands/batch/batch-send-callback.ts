/** `batch send-callback`: sends the callback of a completed batch now. */
import { sendCallbackAgain } from '../../../service/batch/manage/send-callback-again.ts';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { defineCommand } from '../../command.ts';
import { BATCH_ID } from './batch-flag.ts';

export const batchSendCallback = defineCommand({
  words: ['batch', 'send-callback'],
  description:
    'Sends the callback of a completed batch now, with the same webhook-id, even if it was delivered or given up. A running worker sends it within a second.',
  flags: { id: BATCH_ID },
  example: 'batch send-callback --id 0123456789abcdef01234567',
  async run({ db }, { id }) {
    const outcome = await sendCallbackAgain(db, { id });
    const refuse = (expected: string) =>
      new UsageError(`Expected --id to be the id of ${expected}, got ${quote(id)}.`);
    if (outcome === 'no such batch' || outcome === 'no callback')
      throw refuse('a completed batch that was created with a url');
    if (outcome === 'expired') throw refuse('a batch that still has its results');
    return { id, state: outcome === 'due' ? 'waiting' : outcome };
  },
});
