/**
 * Pauses, resumes and deletes batches, for their owner and for the operator. The audit log has each of these deeds, or
 * the deed was not done.
 *
 * Everything locks in this order: the account, the batch, its addresses. Workers never wait for an address
 * (`live/store.ts`), so they stop no deletion, and no deletion stops them.
 */
import { type Actor, recordDeed } from '../../audit/store.ts';
import { changeCredits } from '../../credits/store.ts';
import type { Db } from '../../database/schema.ts';
import { holdOwner, lockOwner } from '../store.ts';
import { deleteWithRows, lockBatch, type ManagedBatch, setPaused } from './store.ts';

/** Which batch is meant. */
export interface Named {
  readonly id: string;
  /** The account that the batch has to belong to. The operator names none. */
  readonly accountId?: string | undefined;
  /** Who wants it, for the audit log. @default the operator */
  readonly actor?: Actor | undefined;
}

/** `paused already`: nothing has changed. */
export type Paused = 'paused' | 'paused already' | 'completed already' | 'no such batch';
/** `not paused`: nothing has changed. */
export type Resumed = 'resumed' | 'not paused' | 'completed already' | 'no such batch';
export type Deleted =
  | {
      readonly kind: 'deleted';
      /** The credits that were given back. */
      readonly refunded: number;
    }
  | { readonly kind: 'no such batch' };

/**
 * Pauses a batch. Within about a second, no process begins with another of its addresses. Results that are on their way
 * are stored. It stays paused even if no address is open any more, and is completed when it is resumed.
 */
export async function pauseBatch(db: Db, named: Named): Promise<Paused> {
  return change(db, named, async (transaction, batch) => {
    if (batch.completed_at) return 'completed already';
    if (batch.paused_at) return 'paused already';
    await setPaused(transaction, named.id, true);
    await record(transaction, named, batch, 'batch.pause');
    return 'paused';
  });
}

/** Goes on with a paused batch. Each process sees it within about a second. */
export async function resumeBatch(db: Db, named: Named): Promise<Resumed> {
  return change(db, named, async (transaction, batch) => {
    if (batch.completed_at) return 'completed already';
    if (!batch.paused_at) return 'not paused';
    await setPaused(transaction, named.id, false);
    await record(transaction, named, batch, 'batch.resume');
    return 'resumed';
  });
}

/** Runs with the batch locked, and with its account held. */
async function change<Outcome>(
  db: Db,
  { id, accountId }: Named,
  run: (transaction: Db, batch: ManagedBatch) => Promise<Outcome>,
): Promise<Outcome | 'no such batch'> {
  return db.transaction().execute(async (transaction) => {
    // The audit log refers to the account. A deletion of the account waits for the batch, so the account comes first.
    await holdOwner(transaction, id);
    const batch = await lockBatch(transaction, accountId, id);
    return batch ? run(transaction, batch) : 'no such batch';
  });
}

async function record(
  transaction: Db,
  { id, actor = { kind: 'operator' } }: Named,
  { account_id, name }: ManagedBatch,
  action: 'batch.pause' | 'batch.resume' | 'batch.delete',
  details?: { readonly refunded: number },
): Promise<void> {
  const subject = { id, name };
  await recordDeed(transaction, {
    accountId: account_id,
    actor,
    action,
    subject,
    ...(details && { details }),
  });
}

/**
 * Deletes a batch with its addresses and results. A live batch that is not completed gives back a credit for each
 * distinct address without a result, and for each unknown one if the operator refunds those.
 */
export async function deleteBatch(db: Db, named: Named, refundUnknown: boolean): Promise<Deleted> {
  const { id, accountId } = named;
  return db.transaction().execute(async (transaction) => {
    const owner = await lockOwner(transaction, id);
    const batch = owner === undefined ? undefined : await lockBatch(transaction, accountId, id);
    if (!batch) return { kind: 'no such batch' };
    const { open, unknown } = await deleteWithRows(transaction, id, batch.distinct_total);
    // The completion has given the unknown ones back, and test keys take no credits.
    const costsNothing = batch.mode === 'test' || batch.completed_at;
    const refunded = costsNothing ? 0 : open + (refundUnknown ? unknown : 0);
    if (refunded > 0) {
      await changeCredits(transaction, owner!, { amount: refunded, why: 'batch-refund', of: id });
    }
    await record(transaction, named, batch, 'batch.delete', { refunded });
    return { kind: 'deleted', refunded };
  });
}
