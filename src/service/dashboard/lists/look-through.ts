/** Reads a draft by its owner's choices. */
import { inSteps } from '../../../shared/steps.ts';
import { largeBatches } from '../../batch/entries/large-batches.ts';
import { MOST_ADDRESSES } from '../../batch/parse-addresses.ts';
import type { Db } from '../../database/schema.ts';
import {
  type List,
  type NumberedCells,
  readColumns,
  readFirstRows,
  rowsBelow,
} from '../../lists/list-store.ts';
import { MAX_CELL_LENGTH } from '../../lists/reading/list-limits.ts';
import { type Entries, EntriesOfColumns } from './list-entries.ts';

/** How much of the columns one read returns. It is in memory at once, for each request. */
const PORTION = { rows: 5_000, characters: 4 * 1024 * 1024 };
/** The number of rows that the review shows. */
const SHOWN_ROWS = 5;
/** How many of the first rows can be chosen as titles. */
const MOST_TITLES = 10;

/** The owner's choices about the list. */
export interface Layout {
  /** The columns of the addresses, at least one. */
  readonly columns: readonly number[];
  /** Whether a cell with several addresses counts as these. */
  readonly splits: boolean;
  /** The place of the row with the titles. Null if every row holds data. */
  readonly titles: number | null;
  /** Whether cells that are not addresses stay out of the batch. */
  readonly leaveOut: boolean;
  /** Whether rows that the spreadsheet hides do. */
  readonly leaveOutHidden: boolean;
}

/**
 * Reads the entries of the chosen columns, and closes them after their use. Few large lists are used at once.
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
  const { columns, splits, leaveOut, leaveOutHidden } = layout;
  const entries = new EntriesOfColumns({
    ...{ columns: columns.length, splits, leavesOutMalformed: leaveOut, leavesOutHidden: leaveOutHidden },
  });
  try {
    await readEntries(db, list, layout, entries);
    return await use(isEmpty(entries) ? undefined : entries);
  } finally {
    await entries.entries.close();
    release?.();
  }
}

async function readEntries(db: Db, list: List, { columns, titles }: Layout, entries: EntriesOfColumns) {
  const lengthOf = (column: number) => Math.max(1, list.findings.longest?.[column] ?? MAX_CELL_LENGTH);
  const longest = columns.reduce((sum, column) => sum + lengthOf(column), 0);
  const limit = Math.min(PORTION.rows, Math.ceil(PORTION.characters / longest));
  for (let after = titles ?? -1; ; ) {
    const rows: NumberedCells[] = await readColumns(db, list.id, columns, { after, limit });
    await inSteps(entries.addAll(rows));
    await entries.entries.save();
    if (rows.length < limit) return;
    after = rows.at(-1)!.number;
  }
}

const isEmpty = ({ numbers, blank, malformed, hidden }: Entries) =>
  numbers.length + blank + malformed + hidden === 0;

/** All rows of a draft, the titles and what stands above them included. */
export const allRows = ({ row_count, header, findings }: Pick<List, 'row_count' | 'header' | 'findings'>) =>
  // Lists of the version before have no such finding, and no row above the titles.
  findings.rows ?? row_count + (header === null ? 0 : 1);

/** The place of the titles, as the reader guesses it. */
export const guessedTitles = ({ header, findings }: Pick<List, 'header' | 'findings'>): number | null =>
  findings.titles === undefined ? (header === null ? null : 0) : findings.titles;

export interface Shown {
  /** The titles, unless every row holds data. */
  readonly titles: readonly string[] | null;
  readonly rows: readonly (readonly string[])[];
  /** The number of rows below the titles. */
  readonly rowCount: number;
  /** The first rows of the file, of which one may have the titles. */
  readonly head: readonly (readonly string[])[];
}

/** The first rows below the titles. */
export async function readShown(db: Db, list: List, titles: number | null): Promise<Shown> {
  const from = (titles ?? -1) + 1;
  const first = await readFirstRows(db, list.id, Math.max(from, MOST_TITLES) + SHOWN_ROWS);
  return {
    titles: titles === null ? null : (first[titles] ?? []),
    rowCount: rowsBelow(allRows(list), titles),
    rows: first.slice(from, from + SHOWN_ROWS),
    head: first.slice(0, Math.max(from, MOST_TITLES)),
  };
}
