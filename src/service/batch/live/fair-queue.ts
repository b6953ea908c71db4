/**
 * Decides which address of a batch is verified next. It needs no database or mail server.
 *
 * Addresses with the same mail servers share a queue, which limits how many are verified at once. So a request to
 * `/v1/verify` waits for a few addresses of batches instead of all, and a slow server does not delay others. The account
 * with the fewest running addresses comes next, and within it the batch with the fewest. Among equal ones, it is the one
 * that has waited the longest.
 *
 * A fifth of all is kept for accounts that have none running. An address that runs for long no longer counts there: a
 * silent mail server takes nothing but time, and accounts whose servers are silent must not use up what is kept.
 */

/** An address that can be queued. */
export interface QueuedRow {
  readonly accountId: string;
  readonly batchId: string;
  /** The organisation that runs the mail servers. */
  readonly organisation: string;
  readonly domain: string;
}

interface FairQueueOptions {
  /** How many run at once in all. */
  readonly most: number;
  /** How many run at once in each organisation. */
  readonly mostOfOrganisation: number;
  /** Whether a fifth is kept. @default never */
  readonly isKept?: () => boolean;
  /** Milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/** What part of all is kept. */
const KEPT_PART = 5;
/** How long an address runs before it no longer counts in that part. */
const LONG_MS = 1_000;

interface Batch<Row> {
  atWork: number;
  size: number;
  /** In the order of their turns. */
  readonly queues: Map<string, Row[]>;
}

interface Account<Row> {
  /** The running addresses, and when they began, oldest first. */
  readonly atWork: Map<Row, number>;
  readonly batches: Map<string, Batch<Row>>;
}

export function createFairQueue<Row extends QueuedRow>(options: FairQueueOptions) {
  const { most, mostOfOrganisation, isKept = () => false, now = () => performance.now() } = options;
  const kept = Math.floor(most / KEPT_PART);
  const accounts = new Map<string, Account<Row>>();
  /** The account of each batch. */
  const owners = new Map<string, string>();
  const atWork = new Map<string, number>();
  const closed = new Set<string>();
  let size = 0;
  /** Those that do not run in the kept part. */
  let usual = 0;
  /** Those that do, and when they began, oldest first. */
  const inKept = new Map<Row, number>();

  const mayBegin = (organisation: string) =>
    !closed.has(organisation) && (atWork.get(organisation) ?? 0) < mostOfOrganisation;
  const isLong = (begun: number | undefined) => begun !== undefined && begun <= now() - LONG_MS;

  function accountOf(id: string): Account<Row> {
    const account: Account<Row> = accounts.get(id) ?? { atWork: new Map(), batches: new Map() };
    accounts.set(id, account);
    return account;
  }

  function batchOf({ accountId, batchId }: Row): Batch<Row> {
    const { batches } = accountOf(accountId);
    const batch: Batch<Row> = batches.get(batchId) ?? { atWork: 0, size: 0, queues: new Map() };
    batches.set(batchId, batch);
    owners.set(batchId, accountId);
    return batch;
  }

  const find = (batchId: string) => accounts.get(owners.get(batchId) ?? '')?.batches.get(batchId);

  function begin(row: Row, runsInKept: boolean): void {
    const account = accountOf(row.accountId);
    const batch = batchOf(row);
    const at = now();
    account.atWork.set(row, at);
    batch.atWork += 1;
    if (runsInKept) inKept.set(row, at);
    else usual += 1;
    atWork.set(row.organisation, (atWork.get(row.organisation) ?? 0) + 1);
    // Both move to the end, so that equal ones get their turn.
    moveToEnd(account.batches, row.batchId, batch);
    moveToEnd(accounts, row.accountId, account);
  }

  function end(row: Row): void {
    accountOf(row.accountId).atWork.delete(row);
    batchOf(row).atWork -= 1;
    if (!inKept.delete(row)) usual -= 1;
    const ofOrganisation = atWork.get(row.organisation)! - 1;
    if (ofOrganisation > 0) atWork.set(row.organisation, ofOrganisation);
    else atWork.delete(row.organisation);
  }

  function shrink(batchId: string, batch: Batch<Row>, by: number): void {
    size -= by;
    batch.size -= by;
    if (batch.size > 0) return;
    const accountId = owners.get(batchId)!;
    owners.delete(batchId);
    const { batches } = accountOf(accountId);
    batches.delete(batchId);
    if (batches.size === 0) accounts.delete(accountId);
  }

  function take({ queues }: Batch<Row>): Row | undefined {
    for (const [organisation, rows] of queues) {
      if (!mayBegin(organisation)) continue;
      const index = rows.findIndex(({ domain }) => !closed.has(domain));
      if (index < 0) continue;
      const [row] = rows.splice(index, 1);
      // The organisation moves to the end, so that the others get their turn.
      queues.delete(organisation);
      if (rows.length > 0) queues.set(organisation, rows);
      return row;
    }
    return undefined;
  }

  function takeOf({ batches }: Account<Row>): Row | undefined {
    for (const batch of fewestFirst(batches.values(), ({ atWork: count }) => count)) {
      const row = take(batch);
      if (row) return row;
    }
    return undefined;
  }

  /** How many more may begin in the kept part. */
  function leftInKept(): number {
    if (!isKept()) return 0;
    let long = 0;
    for (const begun of inKept.values()) {
      if (!isLong(begun)) break;
      long += 1;
    }
    return kept - (inKept.size - long);
  }

  return {
    /** The number of addresses that were added and have not left. */
    get size() {
      return size;
    },
    /** The number of addresses of a batch. */
    sizeOf: (batchId: string) => find(batchId)?.size ?? 0,
    add(row: Row): void {
      const batch = batchOf(row);
      const rows = batch.queues.get(row.organisation);
      if (rows) rows.push(row);
      else batch.queues.set(row.organisation, [row]);
      batch.size += 1;
      size += 1;
    },
    /** Starts and returns the next address. Undefined if none may start. */
    next(): Row | undefined {
      const isFull = usual >= (isKept() ? most - kept : most);
      const left = isFull ? leftInKept() : 0;
      if (isFull && left <= 0) return undefined;
      for (const account of fewestFirst(accounts.values(), ({ atWork: running }) => running.size)) {
        const [oldest] = account.atWork.values();
        // The more are left, the more of them an account may have. The last ones are for accounts that have none.
        if (isFull && (isLong(oldest) || account.atWork.size >= Math.ceil(left / KEPT_PART))) continue;
        const row = takeOf(account);
        if (!row) continue;
        begin(row, isFull);
        return row;
      }
      return undefined;
    },
    /** Ends the work on an address. */
    leave(row: Row): void {
      end(row);
      shrink(row.batchId, batchOf(row), 1);
    },
    /** Puts a running address back to the front of its queue. */
    putBack(row: Row): void {
      end(row);
      const { queues } = batchOf(row);
      queues.set(row.organisation, [row, ...(queues.get(row.organisation) ?? [])]);
    },
    /** Removes the waiting addresses of a batch. Running ones stay. */
    withdraw(batchId: string): void {
      const batch = find(batchId);
      if (!batch) return;
      const { length } = [...batch.queues.values()].flat();
      batch.queues.clear();
      shrink(batchId, batch, length);
    },
    /** Removes so many waiting addresses of an account, of its largest batches first. @returns them */
    giveBack(accountId: string, count: number): Row[] {
      const given: Row[] = [];
      const batches = [...(accounts.get(accountId)?.batches ?? [])];
      for (const [batchId, batch] of batches.sort(([, one], [, other]) => other.size - one.size)) {
        for (const [organisation, rows] of [...batch.queues]) {
          const last = rows.splice(Math.max(0, rows.length - (count - given.length)));
          if (rows.length === 0) batch.queues.delete(organisation);
          given.push(...last);
          shrink(batchId, batch, last.length);
          if (given.length === count) return given;
        }
      }
      return given;
    },
    /** Starts no address of the organisation or domain until it is opened again. */
    close: (name: string) => void closed.add(name),
    open: (name: string) => void closed.delete(name),
  };
}

/** Equal ones keep their order. */
const fewestFirst = <Each>(all: Iterable<Each>, count: (one: Each) => number): Each[] =>
  [...all].sort((one, other) => count(one) - count(other));

function moveToEnd<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
}
