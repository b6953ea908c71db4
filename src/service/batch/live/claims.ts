/** The addresses that a process has claimed or is verifying, from the claim until their end in the database. */
import { setMaxListeners } from 'node:events';
import { type ClaimedRow, claimOf } from './claim-store.ts';

interface Claim {
  readonly row: ClaimedRow;
  isAtWork: boolean;
}

interface Batch {
  readonly accountId: string;
  readonly claims: Map<string, Claim>;
  readonly callOff: AbortController;
}

export function createClaims() {
  const batches = new Map<string, Batch>();
  const find = (row: ClaimedRow) => batches.get(row.batch_id)?.claims.get(claimOf(row));

  function batchOf(id: string, accountId: string): Batch {
    const there = batches.get(id);
    if (there) return there;
    const batch = { accountId, claims: new Map<string, Claim>(), callOff: new AbortController() };
    // Each address that waits for its mail server adds a listener.
    setMaxListeners(0, batch.callOff.signal);
    batches.set(id, batch);
    return batch;
  }

  return {
    add: (row: ClaimedRow) =>
      void batchOf(row.batch_id, row.account_id).claims.set(claimOf(row), { row, isAtWork: false }),
    has: (row: ClaimedRow) => find(row) !== undefined,
    /** Marks the address as being verified. The signal aborts when its batch is called off. */
    begin(row: ClaimedRow): AbortSignal {
      find(row)!.isAtWork = true;
      return batchOf(row.batch_id, row.account_id).callOff.signal;
    },
    /** Marks the address as waiting again. */
    putBack(row: ClaimedRow): void {
      find(row)!.isAtWork = false;
    },
    remove(row: ClaimedRow): void {
      const batch = batches.get(row.batch_id);
      batch?.claims.delete(claimOf(row));
      if (batch?.claims.size === 0) batches.delete(row.batch_id);
    },
    /** Removes the waiting addresses of a batch, and calls off the others. */
    callOff(batchId: string): void {
      const batch = batches.get(batchId);
      if (!batch) return;
      batch.callOff.abort();
      const atWork = [...batch.claims].filter(([, { isAtWork }]) => isAtWork);
      // Claims after the batch is resumed get a new signal.
      batches.delete(batchId);
      for (const [name, claim] of atWork) batchOf(batchId, batch.accountId).claims.set(name, claim);
    },
    all: () => [...batches.values()].flatMap(({ claims }) => [...claims.values()].map(({ row }) => row)),
    get size() {
      return [...batches.values()].reduce((sum, { claims }) => sum + claims.size, 0);
    },
    /** The ids of their batches. */
    batches: () => [...batches.keys()],
    /** The number of claims of each account. */
    counts() {
      const counts = new Map<string, number>();
      for (const { accountId, claims } of batches.values())
        counts.set(accountId, (counts.get(accountId) ?? 0) + claims.size);
      return counts;
    },
  };
}
