/** What a process has claimed and what it has begun with, from the claim until the address has left in the database. */
import { setMaxListeners } from 'node:events';
import type { ClaimedRow } from './store.ts';

export interface Claims {
  add(row: ClaimedRow): void;
  has(row: ClaimedRow): boolean;
  /** The address is at work now. The signal aborts when its batch is called off. */
  begin(row: ClaimedRow): AbortSignal;
  /** The address waits again. */
  putBack(row: ClaimedRow): void;
  remove(row: ClaimedRow): void;
  /** Removes the addresses of a batch that are not at work, and calls the others off. */
  callOff(batchId: string): void;
  all(): ClaimedRow[];
  /** How many there are of each batch. */
  counts(): Map<string, number>;
}

interface Claim {
  readonly row: ClaimedRow;
  isAtWork: boolean;
}

interface Batch {
  readonly claims: Map<string, Claim>;
  readonly callOff: AbortController;
}

export function createClaims(): Claims {
  const batches = new Map<string, Batch>();
  const find = (row: ClaimedRow) => batches.get(row.batch_id)?.claims.get(nameOf(row));

  function batchOf(id: string): Batch {
    const there = batches.get(id);
    if (there) return there;
    const batch = { claims: new Map<string, Claim>(), callOff: new AbortController() };
    // Each address that waits for its mail server listens.
    setMaxListeners(0, batch.callOff.signal);
    batches.set(id, batch);
    return batch;
  }

  return {
    add: (row) => void batchOf(row.batch_id).claims.set(nameOf(row), { row, isAtWork: false }),
    has: (row) => find(row) !== undefined,
    begin(row) {
      find(row)!.isAtWork = true;
      return batchOf(row.batch_id).callOff.signal;
    },
    putBack(row) {
      find(row)!.isAtWork = false;
    },
    remove(row) {
      const batch = batches.get(row.batch_id);
      batch?.claims.delete(nameOf(row));
      if (batch?.claims.size === 0) batches.delete(row.batch_id);
    },
    callOff(batchId) {
      const batch = batches.get(batchId);
      if (!batch) return;
      batch.callOff.abort();
      const atWork = [...batch.claims].filter(([, { isAtWork }]) => isAtWork);
      // What is claimed after the batch is resumed gets a new signal.
      batches.delete(batchId);
      for (const [name, claim] of atWork) batchOf(batchId).claims.set(name, claim);
    },
    all: () => [...batches.values()].flatMap(({ claims }) => [...claims.values()].map(({ row }) => row)),
    counts: () => new Map([...batches].map(([id, { claims }]) => [id, claims.size])),
  };
}

/** The same address has another name each time that it is claimed. */
const nameOf = ({ batch_id, place, attempt }: ClaimedRow) => `${batch_id} ${place} ${attempt}`;
