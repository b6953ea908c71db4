/**
 * Decides which address of a batch is verified next. It needs no clock, database or mail server.
 *
 * Addresses with the same mail servers share a queue, which limits how many are verified at once. So a request to
 * `/v1/verify` waits for a few addresses of batches instead of all, and a slow server does not delay others. The batch
 * with the fewest running addresses comes next, so that a large batch does not delay a small one.
 */

/** An address that can be queued. */
export interface QueuedRow {
  readonly batchId: string;
  /** The organisation that runs the mail servers. */
  readonly organisation: string;
}

export interface FairQueue<Row extends QueuedRow> {
  /** The number of addresses that were added and have not left. */
  readonly size: number;
  /** The number of addresses of a batch. */
  sizeOf(batchId: string): number;
  add(row: Row): void;
  /** Starts and returns the next address. Undefined if none may start. */
  next(): Row | undefined;
  /** Ends the work on an address. */
  leave(row: Row): void;
  /** Puts a running address back to the front of its queue. */
  putBack(row: Row): void;
  /** Removes the waiting addresses of a batch. Running ones stay. */
  withdraw(batchId: string): void;
  /** Starts no address of the organisation until it is opened again. */
  close(organisation: string): void;
  open(organisation: string): void;
}

interface Batch<Row> {
  atWork: number;
  size: number;
  /** In the order of their turns. */
  readonly queues: Map<string, Row[]>;
}

/** @param most how many run at once in all @param mostOfOrganisation how many run at once in each organisation */
export function createFairQueue<Row extends QueuedRow>(
  most: number,
  mostOfOrganisation: number,
): FairQueue<Row> {
  const batches = new Map<string, Batch<Row>>();
  const atWork = new Map<string, number>();
  const closed = new Set<string>();
  let size = 0;
  let running = 0;

  const mayBegin = (organisation: string) =>
    !closed.has(organisation) && (atWork.get(organisation) ?? 0) < mostOfOrganisation;

  function batchOf(id: string): Batch<Row> {
    const there = batches.get(id);
    if (there) return there;
    const batch: Batch<Row> = { atWork: 0, size: 0, queues: new Map() };
    batches.set(id, batch);
    return batch;
  }

  function count(row: Row, change: 1 | -1): void {
    batchOf(row.batchId).atWork += change;
    running += change;
    const ofOrganisation = (atWork.get(row.organisation) ?? 0) + change;
    if (ofOrganisation > 0) atWork.set(row.organisation, ofOrganisation);
    else atWork.delete(row.organisation);
  }

  function shrink(id: string, batch: Batch<Row>, by: number): void {
    size -= by;
    batch.size -= by;
    if (batch.size === 0) batches.delete(id);
  }

  function take({ queues }: Batch<Row>): Row | undefined {
    for (const [organisation, rows] of queues) {
      if (!mayBegin(organisation)) continue;
      const row = rows.shift()!;
      // The organisation moves to the end, so that the others get their turn.
      queues.delete(organisation);
      if (rows.length > 0) queues.set(organisation, rows);
      return row;
    }
    return undefined;
  }

  return {
    get size() {
      return size;
    },
    sizeOf: (batchId) => batches.get(batchId)?.size ?? 0,
    add(row) {
      const batch = batchOf(row.batchId);
      const rows = batch.queues.get(row.organisation);
      if (rows) rows.push(row);
      else batch.queues.set(row.organisation, [row]);
      batch.size += 1;
      size += 1;
    },
    next() {
      if (running >= most) return undefined;
      for (const batch of [...batches.values()].sort((one, other) => one.atWork - other.atWork)) {
        const row = take(batch);
        if (!row) continue;
        count(row, 1);
        return row;
      }
      return undefined;
    },
    leave(row) {
      count(row, -1);
      shrink(row.batchId, batchOf(row.batchId), 1);
    },
    putBack(row) {
      count(row, -1);
      const { queues } = batchOf(row.batchId);
      queues.set(row.organisation, [row, ...(queues.get(row.organisation) ?? [])]);
    },
    withdraw(batchId) {
      const batch = batches.get(batchId);
      if (!batch) return;
      const { length } = [...batch.queues.values()].flat();
      batch.queues.clear();
      shrink(batchId, batch, length);
    },
    close: (organisation) => void closed.add(organisation),
    open: (organisation) => void closed.delete(organisation),
  };
}
