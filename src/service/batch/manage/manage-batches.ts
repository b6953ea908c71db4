/**
 * Pauses, resumes and deletes batches, for their owner and for the operator. Each change and its row of the audit log
 * share a transaction.
 *
 * The order of locks is: the account, the batch, its addresses. Workers never wait for an address (`claim-store.ts`), so
 * workers and deletions do not block each other.
 */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import { changeCredits } from '../../credits/credit-store.ts';
import type { Db } from '../../database/schema.ts';
import { holdOwner, lockOwner } from '../batch-store.ts';
import { deleteWithRows, lockBatch, type ManagedBatch, setPaused } from './manage-batches-store.ts';

/** Identifies a batch. */
export interface Named {
  readonly id: string;
  /** The account that must own the batch. Absent for the operator. */
  readonly accountId?: string | undefined;
  /** The actor for the audit log. @default the operator */
  readonly actor?: Actor | undefined;
}

/** `paused already`: the batch was not changed. */
export type Paused = 'paused' | 'paused already' | 'completed already' | 'no such batch';
/** `not paused`: the batch was not changed. */
export type Resumed = 'resumed' | 'not paused' | 'completed already' | 'no such batch';
export type Deleted =
  | {
      readonly kind: 'deleted';
      /** The credits that were given back. */
      readonly refunded: number;
    }
  | { readonly kind: 'no such batch' };

/**
 * Pauses a batch. After about a second, no process starts another of its addresses. Running verifications still store
 * their results. The batch stays paused even if all addresses have results, and is completed when it is resumed.
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

/** Resumes a paused batch. Each process notices it within about a second. */
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
  await recordAuditEvent(transaction, {
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
    // The completion has already refunded unknown results, and test keys cost no credits.
    const costsNothing = batch.mode === 'test' || batch.completed_at;
    const refunded = costsNothing ? 0 : open + (refundUnknown ? unknown : 0);
    if (refunded > 0) {
      await changeCredits(transaction, owner!, { amount: refunded, why: 'batch-refund', of: id });
    }
    await record(transaction, named, batch, 'batch.delete', { refunded });
    return { kind: 'deleted', refunded };
  });
}
