/** `batch …`: shows and changes batches. */
import { readProgress } from '../../service/batch/batch-store.ts';
import { type Callback, readCallback } from '../../service/batch/callbacks/callback-store.ts';
import {
  deleteBatch,
  pauseBatch,
  resumeBatch,
  sendCallbackAgain,
  stopBatch,
} from '../../service/batch/manage/manage-batches.ts';
import {
  type BatchSummary,
  findDetails,
  listBatches,
  type OpenAddresses,
  readOpenAddresses,
} from '../../service/batch/overview/batch-overview-store.ts';
import { sayOpenAddresses } from '../../service/batch/overview/open-addresses.ts';
import { duplicatesOf, reasonCounts, totalCounts } from '../../service/batch/result-counts.ts';
import { quote, UsageError } from '../../service/core/usage-error.ts';
import { readServerClock } from '../../service/database/database-clock.ts';
import { type Command, defineCommand } from '../command.ts';
import { required, text, toggle } from '../flags.ts';
import { listFlags, selectionOf } from './owner-flag.ts';
import { timeJson } from './time-json.ts';

const BATCH_ID = required(text('ID', 'The id that batch list prints.'));

/** For `--id` with an unknown id. */
function noSuchBatch(id: string): UsageError {
  return new UsageError(
    `Expected --id to be the id of a batch, got ${quote(id)}. Run batch list to see the latest.`,
  );
}

/** For a change that is not possible after a batch is completed. */
function completedAlready(id: string): UsageError {
  return new UsageError(
    `Expected --id to be the id of an open batch, got ${quote(id)}, which is completed. Run batch list --open to see the open ones.`,
  );
}

/** The status of the batch in one word. */
function statusOf({ completed_at, paused_at, stopped_after }: BatchSummary) {
  if (completed_at) return stopped_after === null ? 'completed' : 'stopped';
  return paused_at ? 'paused' : 'verifying';
}

function batchJson(batch: BatchSummary) {
  const { id, owner_email, mode, total, processed } = batch;
  return {
    ...{ id, owner_email, mode, status: statusOf(batch), processed, total },
    created_at: timeJson(batch.created_at),
    paused_at: timeJson(batch.paused_at),
    completed_at: timeJson(batch.completed_at),
    expires_at: timeJson(batch.expires_at),
    emptied_at: timeJson(batch.emptied_at),
  };
}

/** No address of a completed batch waits for anything, also if it was stopped. */
const NONE_OPEN: OpenAddresses = {
  ...{ ready: 0, claimed: [], later: 0 },
  ...{ first_due_at: null, last_due_at: null },
};

export const BATCH: readonly Command[] = [
  defineCommand({
    words: ['batch', 'list'],
    description:
      'Lists batches, the newest first. If emptied_at has a time, the addresses of the batch have been deleted.',
    flags: listFlags('batches', 'Only those that are not completed.'),
    example: 'batch list --email ada@example.com --open',
    run: async ({ db }, wish) => (await listBatches(db, await selectionOf(db, wish))).map(batchJson),
  }),
  defineCommand({
    words: ['batch', 'show'],
    description:
      'Shows a batch with its counts, what its open addresses wait for, and the latest 100 tries of its callback. It does not show the addresses.',
    flags: { id: BATCH_ID },
    example: 'batch show --id 0123456789abcdef01234567',
    async run({ db }, { id }) {
      const batch = await findDetails(db, id);
      if (!batch) throw noSuchBatch(id);
      const { total, distinct_total, response_fields, retries, accept_all, url } = batch;
      const { completed_at, reason_counts } = batch;
      const { tally, duplicates } = completed_at
        ? { tally: reason_counts!, duplicates: duplicatesOf(batch) }
        : await readProgress(db, id);
      const open = completed_at ? NONE_OPEN : await readOpenAddresses(db, id);
      const now = new Date(await readServerClock(db));
      return {
        ...batchJson(batch),
        ...{ distinct: distinct_total, retries, accept_all, response_fields, url },
        reason_counts: reasonCounts(tally),
        total_counts: totalCounts(tally, duplicates, total),
        open: {
          ready: open.ready,
          claimed: open.claimed.map(({ process_id, is_alive, addresses }) => ({
            ...{ process: process_id, alive: is_alive, addresses },
          })),
          later: open.later,
          first_retry_at: timeJson(open.first_due_at),
          last_retry_at: timeJson(open.last_due_at),
        },
        in_words: sayOpenAddresses(batch, open, now),
        ...callbackJson(await readCallback(db, batch.account_id, id)),
      };
    },
  }),
  defineCommand({
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
  }),
  defineCommand({
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
  }),
  defineCommand({
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
  }),
  defineCommand({
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
  }),
  defineCommand({
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
  }),
];

/** `callback` is null before the batch is completed, and without a URL. `callbacks` are its tries. */
function callbackJson(callback: Callback | undefined) {
  const tries = callback?.tries ?? [];
  return {
    callback: callback ? { state: callback.state, due_at: timeJson(callback.due_at) } : null,
    callbacks: tries.map(({ number, at, status, error, duration_ms }) => ({
      ...{ number, at: timeJson(at), status, error, duration_ms },
    })),
  };
}
