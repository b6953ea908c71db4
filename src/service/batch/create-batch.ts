/** Creates a batch: its row, its addresses and its credits, in one transaction. */
import { makeId } from '../core/random-id.ts';
import { balanceOf, changeCredits, lockCredits } from '../credits/credit-store.ts';
import type { MissingInRequest } from '../credits/missing-credits.ts';
import type { Db } from '../database/schema.ts';
import { limitLocks } from '../database/transaction.ts';
import type { Deps } from '../deps/deps.ts';
import { type KeyedRequest, storeResponse } from '../idempotency/idempotency-store.ts';
import { MESSAGES, MOST_INLINE } from './batch-response.ts';
import { completeBatch, holdRetention, insertBatch, type NewBatch, storeResults } from './batch-store.ts';
import { allOf } from './entries/collected-entries.ts';
import { verifySamples } from './samples.ts';
import { hasRoom, type Storage } from './storage/storage-limits.ts';
import { readStorage, takeStorage } from './storage/storage-store.ts';

const FOREIGN_KEY_VIOLATION = '23503';
const LOCK_NOT_AVAILABLE = '55P03';
const codeOf = (error: unknown) => (error as { code?: unknown }).code;

/**
 * How long the transaction of a batch waits for its account, which its requests lock for milliseconds. A large batch waits
 * for as long as its addresses took, because they would have to be inserted again.
 */
const LOCKED_MS = 1_000;
/** After this time, a batch is not tried again, as a statement is not. */
const LONGEST_MS = 9_000;

type CreateDeps = Pick<Deps, 'db' | 'processId' | 'settings' | 'billing' | 'untilUnlocked'> &
  Pick<Deps, 'sampleVerifier' | 'onCredits' | 'wakeBatches' | 'wakeCallbacks'>;

export type BatchRequest = Omit<NewBatch, 'id'> & {
  /** What it stores, if that is more than its entries. */
  readonly storedEntries?: number | undefined;
  /** The request's `Idempotency-Key`. The response is stored with the batch. */
  readonly keyed?: KeyedRequest | undefined;
  /** Writes related rows in the batch's transaction, after the batch. An error undoes everything. */
  readonly alongside?: ((transaction: Db, id: string) => Promise<void>) | undefined;
  /**
   * Checks something before the end of the batch's transaction, while no other batch of its account and mode can begin
   * or has begun without being seen. An error undoes everything.
   */
  readonly lastly?: ((transaction: Db) => Promise<void>) | undefined;
};

export type Created =
  | { readonly kind: 'created'; readonly id: string; readonly body: string }
  | ({ readonly kind: 'no-credits' } & MissingInRequest)
  /** The batch with these entries would exceed a limit of what the account stores. */
  | ({ readonly kind: 'storage-full'; readonly entries: number } & Storage)
  /** `no-account`: it was just deleted. `key-lost`: another process has the `Idempotency-Key` now. */
  | { readonly kind: 'no-account' | 'key-lost' };

/** Ends the transaction without a batch. */
class Undo extends Error {
  constructor(readonly outcome: 'no-credits' | 'key-lost' | 'storage-full') {
    super(outcome);
  }
}

export async function createBatch(deps: CreateDeps, request: BatchRequest): Promise<Created> {
  const { db, billing, untilUnlocked } = deps;
  const { accountId, mode, entries, total, isFree = false, storedEntries = total } = request;
  const needed = mode === 'live' && !isFree ? entries.distinct : 0;
  const began = performance.now();
  let missingSince: number | undefined;
  for (;;) {
    await untilUnlocked(accountId);
    const storage = await readStorage(db, accountId, mode);
    // Before the payment. Later, the statement that counts the batch checks again.
    if (storage && !hasRoom(storage, storedEntries))
      return { kind: 'storage-full', entries: storedEntries, ...storage };
    const available = await balanceOf(db, accountId);
    if (available === undefined) return { kind: 'no-account' };
    if (available >= needed) {
      try {
        const created = await attempt(deps, request, needed);
        if (created) return created;
        // Other requests may have taken the credits or the storage meanwhile. The next round reads both again.
      } catch (error) {
        // The account was locked meanwhile. The next round waits for it without a connection.
        if (codeOf(error) !== LOCK_NOT_AVAILABLE || performance.now() - began > LONGEST_MS) throw error;
      }
      continue;
    }
    const missing = { kind: 'no-credits', needed, available } as const;
    if (!billing) return missing;
    missingSince ??= performance.now();
    const reply = await billing.ask({ accountId, needed, available, since: missingSince });
    if (reply.kind === 'refused') return { ...missing, message: reply.message };
  }
}

/** @returns undefined if there are too few credits or there is too little storage by now */
async function attempt(
  { db, processId, settings, sampleVerifier, onCredits, wakeBatches, wakeCallbacks }: CreateDeps,
  { keyed, alongside, lastly, storedEntries, ...request }: BatchRequest,
  needed: number,
): Promise<Created | undefined> {
  const id = makeId();
  const { accountId, mode, entries, total, acceptAll: accept_all = null } = request;
  const body = JSON.stringify({ message: MESSAGES.created, id });
  // Clients expect the results of a small test batch in the first status response.
  const isInstant = mode === 'test' && total <= MOST_INLINE;
  const known = isInstant ? await allOf(entries) : [];
  const rows = known.map(({ address }, place) => ({ place, address, accept_all }));
  const samples = await verifySamples(sampleVerifier, rows);
  const began = performance.now();
  try {
    await db.transaction().execute(async (transaction) => {
      await insertBatch(transaction, { ...request, id });
      await alongside?.(transaction, id);
      // This locks the account, and its other requests wait. So it comes late.
      await limitLocks(transaction, Math.max(LOCKED_MS, performance.now() - began));
      if (needed > 0) await lockCredits(transaction, accountId);
      // The completion reads the account. A deletion of another batch locks the account before the storage, too.
      if (isInstant) await holdRetention(transaction, accountId);
      const storing = { id, accountId, mode, entries: storedEntries ?? total };
      if (!(await takeStorage(transaction, storing))) throw new Undo('storage-full');
      // The row of the storage is locked until the end.
      await lastly?.(transaction);
      if (keyed && !(await storeResponse(transaction, keyed, processId, { status: 200, body }))) {
        throw new Undo('key-lost');
      }
      const of = { amount: -needed, why: 'batch', of: id } as const;
      if (needed > 0 && !(await changeCredits(transaction, accountId, of))) throw new Undo('no-credits');
      if (isInstant) {
        await storeResults(transaction, id, samples);
        await completeBatch(transaction, id, settings.durations);
      }
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome === 'key-lost' ? { kind: 'key-lost' } : undefined;
    if (codeOf(error) === FOREIGN_KEY_VIOLATION) return { kind: 'no-account' };
    throw error;
  }
  if (needed > 0) onCredits(-needed, 'batch');
  if (mode === 'live') wakeBatches();
  if (isInstant && request.url !== null) wakeCallbacks();
  return { kind: 'created', id, body };
}
