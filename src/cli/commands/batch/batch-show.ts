/** `batch show`: everything about one batch, except its addresses. */

import { readProgress } from '../../../service/batch/batch-store.ts';
import { type Callback, readCallback } from '../../../service/batch/callbacks/callback-store.ts';
import {
  findDetails,
  type OpenAddresses,
  readOpenAddresses,
} from '../../../service/batch/overview/batch-overview-store.ts';
import { sayOpenAddresses } from '../../../service/batch/overview/open-addresses.ts';
import { duplicatesOf, reasonCounts, totalCounts } from '../../../service/batch/result-counts.ts';
import { readServerClock } from '../../../service/database/database-clock.ts';
import { defineCommand } from '../../command.ts';
import { BATCH_ID, noSuchBatch } from './batch-flag.ts';
import { batchJson, timeJson } from './batch-json.ts';

/** No address of a completed batch waits for anything, also if it was stopped. */
const NONE_OPEN: OpenAddresses = {
  ...{ ready: 0, claimed: [], later: 0 },
  ...{ first_due_at: null, last_due_at: null },
};

export const batchShow = defineCommand({
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
});

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
