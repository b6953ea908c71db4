/** Creates a batch: its row, its addresses and its credits, in one transaction. */
import { randomBytes } from 'node:crypto';
import { balanceOf, changeCredits } from '../credits/credit-store.ts';
import type { Db } from '../database/schema.ts';
import type { Deps } from '../deps/deps.ts';
import { type KeyedRequest, storeResponse } from '../idempotency/idempotency-store.ts';
import { MESSAGES, MOST_INLINE } from './batch-response.ts';
import {
  completeBatch,
  insertBatch,
  type NewBatch,
  type StoredResults,
  storeResults,
} from './batch-store.ts';
import { countStored, verifySamples } from './samples.ts';
import { hasRoom, type Storage } from './storage/storage-limits.ts';
import { readStorage, takeStorage } from './storage/storage-store.ts';

/** How long to retry a payment whose credits other requests keep using up. */
const LONGEST_PAYMENT_MS = 15_000;
const FOREIGN_KEY_VIOLATION = '23503';

type CreateDeps = Pick<
  Deps,
  | 'db'
  | 'processId'
  | 'settings'
  | 'billing'
  | 'sampleVerifier'
  | 'usage'
  | 'onCredits'
  | 'wakeBatches'
  | 'wakeCallbacks'
>;

export type BatchRequest = Omit<NewBatch, 'id'> & {
  /** What it stores, if that is more than its entries. */
  readonly storedEntries?: number | undefined;
  /** The request's `Idempotency-Key`. The response is stored with the batch. */
  readonly keyed?: KeyedRequest | undefined;
  /** Writes related rows in the batch's transaction, after the batch. An error undoes everything. */
  readonly alongside?: ((transaction: Db, id: string) => Promise<void>) | undefined;
};

export type Created =
  | { readonly kind: 'created'; readonly id: string; readonly body: string }
  | {
      readonly kind: 'no-credits';
      readonly needed: number;
      readonly available: number;
      readonly message?: string;
    }
  | StorageFull
  /** `no-account`: it was just deleted. `key-lost`: another process has the `Idempotency-Key` now. */
  | { readonly kind: 'no-account' | 'key-lost' };

/** The batch would exceed a limit of what the account stores. */
export interface StorageFull extends Storage {
  readonly kind: 'storage-full';
  /** What the batch would store. */
  readonly entries: number;
}

/** Ends the transaction without a batch. */
class Undo extends Error {
  constructor(readonly outcome: 'no-credits' | 'key-lost' | 'storage-full') {
    super(outcome);
  }
}

export async function createBatch(deps: CreateDeps, request: BatchRequest): Promise<Created> {
  const { db, billing } = deps;
  const { accountId, mode, entries, total, storedEntries = total } = request;
  const needed = mode === 'live' ? entries.length : 0;
  const began = Date.now();
  for (;;) {
    const storage = await readStorage(db, accountId, mode);
    // Before the payment. Later, the statement that counts the batch checks again.
    if (storage && !hasRoom(storage, storedEntries))
      return { kind: 'storage-full', entries: storedEntries, ...storage };
    const available = await balanceOf(db, accountId);
    if (available === undefined) return { kind: 'no-account' };
    if (available >= needed) {
      const created = await attempt(deps, request, needed);
      // Other requests may have taken the credits or the storage meanwhile. The next round reads both again.
      if (created) return created;
      continue;
    }
    const missing = { kind: 'no-credits', needed, available } as const;
    if (!billing || Date.now() > began + LONGEST_PAYMENT_MS) return missing;
    const reply = await billing.ask({ accountId, needed, available });
    if (reply.kind === 'refused') return { ...missing, message: reply.message };
  }
}

/** @returns undefined if there are too few credits or there is too little storage by now */
async function attempt(
  { db, processId, settings, sampleVerifier, usage, onCredits, wakeBatches, wakeCallbacks }: CreateDeps,
  { keyed, alongside, storedEntries, ...request }: BatchRequest,
  needed: number,
): Promise<Created | undefined> {
  const id = randomBytes(12).toString('hex');
  const { accountId, mode, entries, total } = request;
  const body = JSON.stringify({ message: MESSAGES.created, id });
  // Clients expect the results of a small test batch in the first status response.
  const isInstant = mode === 'test' && total <= MOST_INLINE;
  const rows = entries.map(({ address }, place) => ({ place, address }));
  const samples = isInstant ? await verifySamples(sampleVerifier, rows) : [];
  let stored: StoredResults[] = [];
  try {
    await db.transaction().execute(async (transaction) => {
      await insertBatch(transaction, { ...request, id });
      await alongside?.(transaction, id);
      if (isInstant) {
        stored = await storeResults(transaction, id, samples);
        await completeBatch(transaction, id, settings.durations);
      }
      // This locks the account, and its other requests wait. So it comes late.
      const of = { amount: -needed, why: 'batch', of: id } as const;
      if (needed > 0 && !(await changeCredits(transaction, accountId, of))) throw new Undo('no-credits');
      const storing = { id, accountId, mode, entries: storedEntries ?? total, isCompleted: isInstant };
      if (!(await takeStorage(transaction, storing))) throw new Undo('storage-full');
      if (keyed && !(await storeResponse(transaction, keyed, processId, { status: 200, body }))) {
        throw new Undo('key-lost');
      }
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome === 'key-lost' ? { kind: 'key-lost' } : undefined;
    if ((error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION) return { kind: 'no-account' };
    throw error;
  }
  countStored(usage, stored);
  if (needed > 0) onCredits(-needed, 'batch');
  if (mode === 'live') wakeBatches();
  if (isInstant && request.url !== null) wakeCallbacks();
  return { kind: 'created', id, body };
}
