/**
 * Pauses, resumes, renames, stops and deletes batches, and sends their callbacks again, for their owner and for the
 * operator. Each change and its row of the audit log share a transaction.
 *
 * The order of locks is: the account, the batch, its addresses. Workers never wait for an address (`claim-store.ts`), so
 * workers and deletions do not block each other.
 */
import { type Actor, recordAuditEvent } from '../../audit/audit-store.ts';
import { changeCredits } from '../../credits/credit-store.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Settings } from '../../deps/deps.ts';
import { completeEarly, countPoison, holdOwner, lockOwner } from '../batch-store.ts';
import { type SentAgain, sendAgain } from '../callbacks/callback-store.ts';
import {
  countUnverified,
  disown,
  endClaims,
  holdPausedFor,
  lockBatch,
  type ManagedBatch,
  setName,
  setPaused,
} from './manage-batches-store.ts';

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
export type Stopped =
  | {
      readonly kind: 'stopped';
      /** The refunded credits. */
      readonly refunded: number;
      /** Whether a callback is due now. */
      readonly hasCallback: boolean;
    }
  | { readonly kind: 'completed already' | 'no such batch' };
export type Deleted =
  | {
      readonly kind: 'deleted';
      /** The refunded credits. */
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

/** Gives a batch another name. @param name without spaces around it */
export async function renameBatch(db: Db, named: Named, name: string): Promise<'renamed' | 'no such batch'> {
  return change<'renamed'>(db, named, async (transaction, batch) => {
    if (batch.name === name) return 'renamed';
    await setName(transaction, named.id, name);
    await record(transaction, named, { ...batch, name }, 'batch.rename');
    return 'renamed';
  });
}

/**
 * Makes the callback of a batch due now. A process sends it within about a second.
 *
 * @returns `due` if it will be sent. In all other cases, the callback was not changed
 */
export async function sendCallbackAgain(db: Db, named: Named): Promise<SentAgain | 'no such batch'> {
  return change(db, named, async (transaction, batch) => {
    const outcome = await sendAgain(transaction, named.id);
    if (outcome === 'due') await record(transaction, named, batch, 'callback.send-again');
    return outcome;
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
  { account_id, name }: Pick<ManagedBatch, 'account_id' | 'name'>,
  action: `batch.${'pause' | 'resume' | 'rename' | 'stop' | 'delete'}` | 'callback.send-again',
  details?: { readonly refunded: number },
): Promise<void> {
  const event = { accountId: account_id, actor, action, subject: { id, name } };
  await recordAuditEvent(transaction, { ...event, ...(details && { details }) });
}

/** A batch that ends, and its account. Both are locked. */
type Ending = ManagedBatch & { readonly id: string };

/**
 * Runs with the account and the batch locked.
 *
 * @returns undefined if there is no such batch
 */
async function end<Outcome>(
  db: Db,
  { id, accountId }: Named,
  run: (transaction: Db, batch: Ending) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  return inTransaction(db, async (transaction) => {
    const owner = await lockOwner(transaction, id);
    const batch = owner === undefined ? undefined : await lockBatch(transaction, accountId, id);
    return batch && run(transaction, { ...batch, id });
  });
}

/** Refunds what has no result. @returns how many credits: none with test keys and of free batches, which cost none */
async function refundRest(
  transaction: Db,
  { id, account_id, mode, is_free, distinct_total }: Ending,
  refundUnknown: boolean,
): Promise<number> {
  if (mode === 'test' || is_free) return 0;
  const { open, unknown, ...counts } = await countUnverified(transaction, id, distinct_total);
  const refunded = open + (refundUnknown ? unknown : await countPoison(transaction, id, counts));
  if (refunded > 0)
    await changeCredits(transaction, account_id, { amount: refunded, why: 'batch-refund', of: id });
  return refunded;
}

/**
 * Completes a batch with the results that it has. It gives back a credit for each distinct address without a result, and
 * for each unknown one if the operator refunds those, and always for poison. The callback and the retention are those of every completed batch.
 */
export async function stopBatch(
  db: Db,
  named: Named,
  { durations, refundUnknown }: Pick<Settings, 'durations' | 'refundUnknown'>,
): Promise<Stopped> {
  const stopped = await end<Stopped>(db, named, async (transaction, batch) => {
    if (batch.completed_at) return { kind: 'completed already' };
    await endClaims(transaction, [batch.id]);
    const refunded = await refundRest(transaction, batch, refundUnknown);
    const hasCallback = await completeEarly(transaction, batch.id, durations);
    await record(transaction, named, batch, 'batch.stop', { refunded });
    return { kind: 'stopped', refunded, hasCallback };
  });
  return stopped ?? { kind: 'no such batch' };
}

/**
 * Stops a batch that has been paused for longer than the settings allow. One that is locked, or whose account is, waits for
 * a later call.
 *
 * @returns what was given back, or undefined if there was none to stop
 */
export async function stopOnePaused(
  db: Db,
  settings: Pick<Settings, 'durations' | 'refundUnknown'>,
): Promise<Stopped | undefined> {
  return db.transaction().execute(async (transaction) => {
    const id = await holdPausedFor(transaction, settings.durations.pausedBatch);
    if (id === undefined) return undefined;
    return stopBatch(transaction, { id, actor: { kind: 'service' } }, settings);
  });
}

/**
 * Deletes a batch. For its owner, it is gone at once, and the housekeeping deletes its addresses and results. A live
 * batch that is not completed gives back a credit for each distinct address without a result, and for each unknown one
 * if the operator refunds those.
 */
export async function deleteBatch(
  db: Db,
  named: Named,
  { refundUnknown }: Pick<Settings, 'refundUnknown'>,
): Promise<Deleted> {
  const deleted = await end<Deleted>(db, named, async (transaction, batch) => {
    await endClaims(transaction, [batch.id]);
    // The completion has already refunded the others.
    const refunded = batch.completed_at ? 0 : await refundRest(transaction, batch, refundUnknown);
    await record(transaction, named, batch, 'batch.delete', { refunded });
    await disown(transaction, [batch.id]);
    return { kind: 'deleted', refunded };
  });
  return deleted ?? { kind: 'no such batch' };
}
