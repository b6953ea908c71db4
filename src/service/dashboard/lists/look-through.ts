/** Reads a draft by its owner's choices. */

import { inSteps } from '../../../shared/steps.ts';
import { largeBatches } from '../../batch/entries/large-batches.ts';
import { MOST_ADDRESSES } from '../../batch/parse-addresses.ts';
import type { Db } from '../../database/schema.ts';
import { type List, type NumberedCell, readColumn, readFirstRows } from '../../lists/list-store.ts';
import { MAX_CELL_LENGTH } from '../../lists/reading/list-limits.ts';
import { type Entries, EntriesOfColumn } from './list-entries.ts';

/** How much of the column one read returns. It is in memory at once, for each request. */
const PORTION = { rows: 5_000, characters: 4 * 1024 * 1024 };
/** The number of rows that the review shows. */
const SHOWN_ROWS = 5;

/** The owner's choices about the list. */
export interface Layout {
  readonly column: number;
  readonly hasHeader: boolean;
  readonly leaveOut: boolean;
}

/**
 * Reads the entries of the chosen column, and closes them after their use. Few large lists are used at once.
 *
 * @param use gets undefined if the list was just deleted: every list has at least one row
 */
export async function useEntries<Result>(
  db: Db,
  accountId: string,
  list: List,
  layout: Layout,
  use: (entries: Entries | undefined) => Promise<Result>,
): Promise<Result> {
  const release = list.row_count > MOST_ADDRESSES ? await largeBatches.wait({ id: accountId }) : undefined;
  const entries = new EntriesOfColumn(layout.leaveOut);
  try {
    await readEntries(db, list, layout, entries);
    return await use(isEmpty(entries) ? undefined : entries);
  } finally {
    await entries.entries.close();
    release?.();
  }
}

/** The reader has stored the first row as titles or as a row, by its guess. */
async function readEntries(
  db: Db,
  list: List,
  { column, hasHeader }: Layout,
  entries: EntriesOfColumn,
): Promise<void> {
  const longest = Math.max(1, list.findings.longest?.[column] ?? MAX_CELL_LENGTH);
  const limit = Math.min(PORTION.rows, Math.ceil(PORTION.characters / longest));
  if (list.header && !hasHeader) entries.add(0, list.header[column] ?? '');
  for (let after = list.header || hasHeader ? 0 : -1; ; ) {
    const cells: NumberedCell[] = await readColumn(db, list.id, column, { after, limit });
    await inSteps(entries.addAll(cells));
    await entries.entries.save();
    if (cells.length < limit) return;
    after = cells.at(-1)!.number;
  }
}

const isEmpty = ({ numbers, blank, malformed }: Entries) => numbers.length + blank + malformed === 0;

export interface Shown {
  /** The titles, if the first row has them. */
  readonly titles: readonly string[] | null;
  readonly rows: readonly (readonly string[])[];
  /** The number of rows without the titles. */
  readonly rowCount: number;
}

/** The first rows, with or without titles. */
export async function readShown(db: Db, list: List, hasHeader: boolean): Promise<Shown> {
  const rows = await readFirstRows(db, list.id, SHOWN_ROWS + 1);
  const all = list.header ? [list.header, ...rows] : rows;
  const rowCount = list.row_count + (list.header ? 1 : 0) - (hasHeader ? 1 : 0);
  const titles = hasHeader ? (all[0] ?? []) : null;
  return { titles, rowCount, rows: all.slice(hasHeader ? 1 : 0).slice(0, SHOWN_ROWS) };
}
