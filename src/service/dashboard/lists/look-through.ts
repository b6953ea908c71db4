/** Looks a draft through, with what its owner says about its columns. */
import type { Db } from '../../database/schema.ts';
import { type Entries, EntriesOfColumn } from './entries.ts';
import { type List, type NumberedCell, readColumn, readFirstRows } from './store.ts';

/** So many rows are read at a time. Requests wait some 10 ms for them. */
const PORTION = 5_000;
/** The rows that the review shows. */
const SHOWN_ROWS = 5;

/** What the owner says about the list. */
export interface Layout {
  readonly column: number;
  readonly hasHeader: boolean;
  readonly leaveOut: boolean;
}

/**
 * The first row of the file is in one place or the other, by the reader's guess.
 *
 * @returns undefined if the list was deleted a moment ago. Each list has a row
 */
export async function readEntries(
  db: Db,
  list: List,
  { column, hasHeader, leaveOut }: Layout,
): Promise<Entries | undefined> {
  const entries = new EntriesOfColumn(leaveOut);
  if (list.header && !hasHeader) entries.add(0, list.header[column] ?? '');
  for (let after = list.header || hasHeader ? 0 : -1; ; ) {
    const cells: NumberedCell[] = await readColumn(db, list.id, column, { after, limit: PORTION });
    for (const { number, cell } of cells) entries.add(number, cell ?? '');
    if (cells.length < PORTION) return isEmpty(entries) ? undefined : entries;
    after = cells.at(-1)!.number;
  }
}

const isEmpty = ({ numbers, blank, malformed }: Entries) => numbers.length + blank + malformed === 0;

export interface Shown {
  /** The titles, if the first row has them. */
  readonly titles: readonly string[] | null;
  readonly rows: readonly (readonly string[])[];
  /** Without the titles. */
  readonly rowCount: number;
}

/** The first rows as the owner wants to see them. */
export async function readShown(db: Db, list: List, hasHeader: boolean): Promise<Shown> {
  const rows = await readFirstRows(db, list.id, SHOWN_ROWS + 1);
  const all = list.header ? [list.header, ...rows] : rows;
  const rowCount = list.row_count + (list.header ? 1 : 0) - (hasHeader ? 1 : 0);
  const titles = hasHeader ? (all[0] ?? []) : null;
  return { titles, rowCount, rows: all.slice(hasHeader ? 1 : 0).slice(0, SHOWN_ROWS) };
}
