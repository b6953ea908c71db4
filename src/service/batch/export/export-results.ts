/** Creates a CSV of results for people, while it is sent. It has the columns of the uploaded list. */
import { Readable } from 'node:stream';
import { nextTurn } from '../../../shared/steps.ts';
import type { Db } from '../../database/schema.ts';
import { BYTE_ORDER_MARK, csvLines } from '../../files/csv-cells.ts';
import { PAGE, ResultsDeletedError, slicesOf } from '../download/slices.ts';
import type { ResultFilter } from '../results/result-filter.ts';
import { type ColumnChoice, listFields, listTitles, resultFields } from './export-columns.ts';
import {
  type Exportable,
  isKept,
  type ListLine,
  type OwnList,
  type Page,
  type ResultLine,
  readListPage,
  readResultPage,
} from './export-store.ts';
import { isWanted, type RowChoice } from './row-choice.ts';

export interface ExportOptions {
  readonly filter: ResultFilter;
  readonly columns: ColumnChoice;
  /** @default 'all' */
  readonly rows?: RowChoice;
}

/** In the column `state` of a row that has no address, or was left out of the batch. */
const NOT_VERIFIED = 'not verified';
/** In the column `state` of an address of an open batch. */
const NOT_YET_VERIFIED = 'not yet verified';

type Cells = readonly unknown[];

/** How many characters a turn writes. It takes about 10 ms. */
const MOST_WRITTEN = 64 * 1024;
/** The time that a cell takes, as a number of characters. */
const CELL_CHARACTERS = 8;

/** The facts that all rows of a file share. */
interface Table {
  readonly titles: readonly string[];
  /** The last row number plus one. */
  readonly end: number;
  read(from: number): Promise<Page<Cells>>;
}

/** Fails if the results are deleted before its end, because half a file must not look complete. */
export function openExport(db: Db, batch: Exportable, options: ExportOptions): Readable {
  const table = batch.list ? tableOfList(db, batch, batch.list, options) : tableOfResults(db, batch, options);
  return Readable.from(readLines(db, batch.id, table), { objectMode: false });
}

async function* readLines(db: Db, id: string, { titles, end, read }: Table): AsyncGenerator<Buffer> {
  yield Buffer.from(BYTE_ORDER_MARK + lines([titles]));
  for (let from = 0; from < end; ) {
    const { rows, next } = await read(from);
    for (const some of stepsOf(rows)) {
      await nextTurn();
      yield* slicesOf(Buffer.from(lines(some)));
    }
    from = next;
  }
  // A filtered row looks like a deleted one.
  if (!(await isKept(db, id))) throw new ResultsDeletedError();
}

/** Rows that are written in one turn of the event loop: a few, or one long one. */
function* stepsOf(rows: readonly Cells[]): Generator<readonly Cells[]> {
  let [first, size] = [0, 0];
  for (const [index, row] of rows.entries()) {
    size += row.reduce((sum: number, cell) => sum + CELL_CHARACTERS + String(cell).length, 0);
    if (size < MOST_WRITTEN) continue;
    yield rows.slice(first, index + 1);
    [first, size] = [index + 1, 0];
  }
  if (first < rows.length) yield rows.slice(first);
}

/** Each row of the list, including rows without an address and duplicates. */
function tableOfList(db: Db, batch: Exportable, list: OwnList, options: ExportOptions): Table {
  const { filter, columns, rows: choice = 'all' } = options;
  const fields = listFields(columns);
  const seen = new Uint8Array(batch.distinct_total);
  const cellsOf = ({ cells, place, result }: ListLine): Cells[] => {
    const own = Array.from({ length: list.columns }, (_, index) => cells[index] ?? '');
    const isDuplicate = place !== null && seen[place] === 1;
    if (place !== null) seen[place] = 1;
    if (!isWanted(choice, { hasAddress: place !== null, isDuplicate })) return [];
    const without = place !== null && batch.is_open ? NOT_YET_VERIFIED : NOT_VERIFIED;
    const said = fields.map((field) => (result ? result[field] : field === 'state' ? without : ''));
    return [[...own, ...said, isDuplicate]];
  };
  return {
    titles: listTitles(list, fields),
    end: list.row_count,
    async read(from) {
      const { rows, next } = await readListPage(db, batch.id, list.id, filter, from, PAGE);
      return { rows: rows.flatMap(cellsOf), next };
    },
  };
}

/** Each distinct address once. */
function tableOfResults(db: Db, batch: Exportable, { filter, columns }: ExportOptions): Table {
  const fields = resultFields(columns, batch.response_fields);
  return {
    titles: fields,
    end: batch.distinct_total,
    async read(from) {
      const { rows, next } = await readResultPage(db, batch, filter, from, PAGE);
      const cellsOf = ({ address, result }: ResultLine): Cells =>
        fields.map((field) => {
          if (result) return result[field];
          return field === 'state' ? NOT_YET_VERIFIED : field === 'email' ? address : '';
        });
      return { rows: rows.map(cellsOf), next };
    },
  };
}

/** The list may have telephone numbers. */
const lines = (rows: readonly Cells[]): string => csvLines(rows, { keepsNumbers: true });
