/** Sends a callback again, for the owner of its batch and for the operator. The audit log has the deed. */
import { recordDeed } from '../../audit/store.ts';
import type { Db } from '../../database/schema.ts';
import { type SentAgain, sendAgain } from '../callbacks/store.ts';
import { holdOwner } from '../store.ts';
import type { Named } from './manage.ts';
import { findManaged } from './store.ts';

/**
 * Makes the callback of a batch due now. A process sends it within a second or so.
 *
 * @returns `due` if it is sent. After anything else, nothing has changed.
 */
export async function sendCallbackAgain(
  db: Db,
  { id, accountId, actor = { kind: 'operator' } }: Named,
): Promise<SentAgain | 'no such batch'> {
  return db.transaction().execute(async (transaction) => {
    // As in `manage.ts`: the account comes before what belongs to its batches.
    await holdOwner(transaction, id);
    const batch = await findManaged(transaction, accountId, id);
    if (!batch) return 'no such batch';
    const outcome = await sendAgain(transaction, id);
    const { account_id, name } = batch;
    if (outcome === 'due') {
      const subject = { id, name };
      await recordDeed(transaction, { accountId: account_id, actor, action: 'callback.send-again', subject });
    }
    return outcome;
  });
}
