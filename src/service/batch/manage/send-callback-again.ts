/** Sends a callback again, for the owner of its batch and for the operator, and writes the audit log. */
import { recordAuditEvent } from '../../audit/audit-store.ts';
import type { Db } from '../../database/schema.ts';
import { holdOwner } from '../batch-store.ts';
import { type SentAgain, sendAgain } from '../callbacks/callback-store.ts';
import type { Named } from './manage-batches.ts';
import { findManaged } from './manage-batches-store.ts';

/**
 * Makes the callback of a batch due now. A process sends it within about a second.
 *
 * @returns `due` if it will be sent. In all other cases, the callback was not changed
 */
export async function sendCallbackAgain(
  db: Db,
  { id, accountId, actor = { kind: 'operator' } }: Named,
): Promise<SentAgain | 'no such batch'> {
  return db.transaction().execute(async (transaction) => {
    // As in `manage-batches.ts`, the account is locked before its batches.
    await holdOwner(transaction, id);
    const batch = await findManaged(transaction, accountId, id);
    if (!batch) return 'no such batch';
    const outcome = await sendAgain(transaction, id);
    const { account_id, name } = batch;
    if (outcome === 'due') {
      const subject = { id, name };
      await recordAuditEvent(transaction, {
        accountId: account_id,
        actor,
        action: 'callback.send-again',
        subject,
      });
    }
    return outcome;
  });
}
