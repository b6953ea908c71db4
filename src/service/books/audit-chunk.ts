/** Audits the books of a few accounts, in one snapshot. */
import type { Db, Difference } from '../database/schema.ts';
import { takeOverCounts } from '../usage/usage-store.ts';
import {
  compareBatches,
  compareCallbacks,
  compareLedger,
  comparePayments,
  compareRefunds,
  compareResults,
  compareStorage,
  inSnapshot,
  type LedgerSum,
  largeBatches,
  ledgerInParts,
  ledgerOf,
  nextAccounts,
  type RowSum,
  sumLedger,
  sumRows,
  type Weighed,
} from './books-store.ts';

/** How many accounts to read together. */
const MOST_ACCOUNTS = 100;
/** How many rows a statement reads, of all accounts of a chunk or of one large account. It takes some 50 ms. */
const MOST_ROWS = 50_000;

export interface Chunk {
  readonly differences: readonly Difference[];
  /** The last account. Undefined if there is no further account. */
  readonly last: string | undefined;
}

export interface ChunkOptions {
  /** Whether it takes over the counts of accounts from before the books were proved. @default it leaves them out */
  readonly takesOver?: boolean;
  /** @default as many as take some 50 ms */
  readonly mostRows?: number;
}

/** Audits the next accounts after an id, in the order of their ids. */
export async function auditChunk(
  db: Db,
  after: string,
  { takesOver = false, mostRows = MOST_ROWS }: ChunkOptions = {},
): Promise<Chunk> {
  return inSnapshot(db, async (snapshot) => {
    const chosen = choose(await nextAccounts(snapshot, after, MOST_ACCOUNTS), mostRows);
    if (chosen.length === 0) return { differences: [], last: undefined };
    const unproved = chosen.flatMap(({ id, is_unproved }) => (is_unproved ? [id] : []));
    if (takesOver) await takeOverCounts(snapshot, unproved);
    const leftOut = new Set(takesOver ? [] : unproved);
    return { differences: await audit(snapshot, chosen, leftOut, mostRows), last: chosen.at(-1)!.id };
  });
}

/** As many as have that many rows together, and one at least. */
function choose(accounts: readonly Weighed[], mostRows: number): readonly Weighed[] {
  let rows = 0;
  const end = accounts.findIndex((account) => {
    rows += account.rows;
    return rows > mostRows;
  });
  return end < 0 ? accounts : accounts.slice(0, Math.max(1, end));
}

/** A difference hides those that would follow from it. */
async function audit(
  db: Db,
  accounts: readonly Weighed[],
  leftOut: ReadonlySet<string>,
  mostRows: number,
): Promise<Difference[]> {
  const ids = accounts.map(({ id }) => id);
  const isLarge = accounts.some(({ rows }) => rows > mostRows);
  const ledger = isLarge ? ledgerInParts(await readLedger(db, ids[0]!, mostRows)) : ledgerOf(ids);
  const ofBatches = await compareBatches(db, ids, await readLarge(db, ids, mostRows));
  const wrongBatches = new Set(ofBatches.map(({ batch }) => batch));
  const refunds = await compareRefunds(db, ids);
  const differences = [
    ...(await compareLedger(db, ids, ledger)),
    ...refunds.filter(({ batch }) => batch === undefined || !wrongBatches.has(batch)),
    ...ofBatches,
    ...(await comparePayments(db, ids)),
    ...(await compareCallbacks(db, ids)),
    ...(await compareStorage(db, ids)),
  ];
  const doubtful = new Set(
    differences.filter(({ kind }) => HIDES_RESULTS.has(kind)).map(({ account }) => account),
  );
  const proved = ids.filter((id) => !leftOut.has(id) && !doubtful.has(id));
  return [...differences, ...(await compareResults(db, proved))];
}

/** The counts by day are compared with these figures. */
const HIDES_RESULTS = new Set(['ledger', 'day-count', 'refund', 'progress']);

async function readLedger(db: Db, accountId: string, most: number): Promise<LedgerSum[]> {
  const all: LedgerSum[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { sums, last }: Awaited<ReturnType<typeof sumLedger>> = await sumLedger(db, accountId, after, most);
    all.push(...sums);
    after = last;
  }
  return all;
}

async function readLarge(db: Db, accountIds: readonly string[], most: number): Promise<RowSum[]> {
  const all: RowSum[] = [];
  for (const { id, distinct_total } of await largeBatches(db, accountIds, most))
    for (let from = 0; from < distinct_total; from += most)
      all.push(...(await sumRows(db, id, from, from + most)));
  return all;
}
