/** The rows of an export, of a list or of results alone, in steps that do not delay others. */
import type { Reason } from '../../../protocol/result.ts';
import { nextTurn } from '../../../shared/steps.ts';
import type { Db } from '../../database/schema.ts';
import { addressIn, hasAddress } from '../../lists/reading/address-in.ts';
import { addressesIn } from '../../lists/reading/several-addresses.ts';
import { whyNotAddress } from '../../lists/reading/why-not-address.ts';
import { PAGE, ResultsDeletedError } from '../download/slices.ts';
import type { BatchResult } from '../result-fields.ts';
import { isEmpty, type ResultFilter } from '../results/result-filter.ts';
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
  readSeveralPage,
  type SeveralLine,
} from './export-store.ts';
import { isWanted, type RowAddress, type RowChoice } from './row-choice.ts';

export interface RowOptions {
  readonly filter: ResultFilter;
  readonly columns: ColumnChoice;
  /** @default 'all' */
  readonly rows?: RowChoice | undefined;
  /** Whether numbers of a workbook stay numbers, or are written as the spreadsheet shows them. */
  readonly keepsValues: boolean;
  /** What stands for each reason. @default the reason itself, which programs know */
  readonly reasonWords?: ReasonWords | undefined;
}

export type ReasonWords = Readonly<Record<Reason, string>>;

/** Reads a field of a result as the file says it. */
const fieldOf =
  ({ reasonWords }: RowOptions) =>
  (result: BatchResult, field: keyof BatchResult): unknown =>
    reasonWords && field === 'reason' ? reasonWords[result.reason] : result[field];

/** In the column `state` of a row that has no address, or was left out of the batch. */
const NOT_VERIFIED = 'not verified';
/** In the column `state` of an address of an open batch. */
const NOT_YET_VERIFIED = 'not yet verified';
/** In the column `reason` of a row that was left out although it has an address. */
const HIDDEN = 'is a hidden row';

export type Cells = readonly unknown[];

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

/**
 * The titles, and then the rows, a few at a time. It fails if the results are deleted before its end, because half a file
 * must not look complete.
 */
export async function* readSteps(
  db: Db,
  batch: Exportable,
  options: RowOptions,
): AsyncGenerator<readonly Cells[]> {
  const { titles, end, read } = batch.list
    ? tableOfList(db, batch, batch.list, options)
    : tableOfResults(db, batch, options);
  yield [titles];
  for (let from = 0; from < end; ) {
    const { rows, next } = await read(from);
    for (const some of stepsOf(rows)) {
      await nextTurn();
      yield some;
    }
    from = next;
  }
  // A filtered row looks like a deleted one.
  if (!(await isKept(db, batch.id))) throw new ResultsDeletedError();
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
function tableOfList(db: Db, batch: Exportable, list: OwnList, options: RowOptions): Table {
  const { filter, columns, rows: choice = 'all' } = options;
  const fields = listFields(columns);
  const contentOf = fieldOf(options);
  const seen = new Uint8Array(batch.distinct_total);
  const say: Say = (cell, place, result) => {
    const isDuplicate = place !== null && seen[place] === 1;
    if (place !== null) seen[place] = 1;
    const none: Readonly<Record<string, string>> = {
      state: place !== null && batch.is_open ? NOT_YET_VERIFIED : NOT_VERIFIED,
      reason: place === null ? whyLeftOut(cell) : '',
    };
    const cells = [
      ...fields.map((field) => (result ? contentOf(result, field) : (none[field] ?? ''))),
      isDuplicate,
    ];
    return { cells, hasAddress: place !== null, isDuplicate };
  };
  const lineOf = (own: Cells, said: readonly Said[]): Cells[] =>
    isWanted(choice, said) ? [[...own, ...said.flatMap(({ cells }) => cells)]] : [];
  const ownOf = ownCells(list, options);
  const shared = { titles: listTitles(list, fields), end: list.last_number + 1 };
  if (list.address_columns === null)
    return {
      ...shared,
      async read(from) {
        const { rows, next } = await readListPage(db, batch.id, list.id, filter, from, PAGE);
        const cellsOf = (line: ListLine) =>
          lineOf(ownOf(line), [say(line.cells[list.address_column] ?? '', line.place, line.result)]);
        return { rows: rows.flatMap(cellsOf), next };
      },
    };
  const severalOf = linesOf(list.address_columns, isEmpty(filter), ownOf, say, lineOf);
  return {
    ...shared,
    async read(from) {
      const { rows, next } = await readSeveralPage(db, batch.id, list.id, filter, from, PAGE);
      return { rows: rows.flatMap(severalOf), next };
    },
  };
}

type Own = Pick<ListLine, 'cells' | 'numbers'>;

/** The columns of one address, with what decides whether a file has them. */
interface Said extends RowAddress {
  readonly cells: Cells;
}

type Say = (cell: string, place: number | null, result: BatchResult | null | undefined) => Said;

/** The cells of the list itself. */
function ownCells({ columns, findings }: OwnList, { keepsValues }: RowOptions) {
  const { formats = [] } = findings;
  const cellOf = ({ cells, numbers }: Own, column: number) => {
    const number = keepsValues && formats[column] ? numbers?.[column] : undefined;
    return number ?? cells[column] ?? '';
  };
  return (line: Own): unknown[] => Array.from({ length: columns }, (_, column) => cellOf(line, column));
}

/** The lines of a row that may have several addresses: one for each address of the cell that has the most. */
function linesOf(
  columns: readonly number[],
  hasAll: boolean,
  ownOf: (line: Own) => unknown[],
  say: Say,
  lineOf: (own: Cells, said: readonly Said[]) => Cells[],
) {
  return (line: SeveralLine): Cells[] => {
    const { cells, places, results, matching } = line;
    const count = places?.[0]?.length ?? 1;
    return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
      const theirs = columns.map((_column, each) => places?.[each]?.[index] ?? places?.[each]?.[0] ?? null);
      if (!hasAll && !theirs.some((place) => place !== null && matching.includes(place))) return [];
      const own = ownOf(line);
      const said = columns.map((column, each) => {
        const place = theirs[each]!;
        // A cell that was split has one of its addresses in each line.
        if ((places?.[each]?.[1] ?? null) !== null)
          own[column] = addressesIn(cells[column] ?? '')[index] ?? own[column];
        return say(cells[column] ?? '', place, place === null ? null : results?.[place]);
      });
      return lineOf(own, said);
    });
  };
}

/** Why a row is not in the batch. Empty for a row without anything in the column of the addresses. */
function whyLeftOut(cell: string): string {
  if (addressIn(cell) === '') return '';
  return hasAddress(cell) ? HIDDEN : whyNotAddress(cell);
}

/** Each distinct address once. */
function tableOfResults(db: Db, batch: Exportable, options: RowOptions): Table {
  const { filter, columns } = options;
  const contentOf = fieldOf(options);
  const fields = resultFields(columns, batch.response_fields);
  return {
    titles: fields,
    end: batch.distinct_total,
    async read(from) {
      const { rows, next } = await readResultPage(db, batch, filter, from, PAGE);
      const cellsOf = ({ address, result }: ResultLine): Cells =>
        fields.map((field) => {
          if (result) return contentOf(result, field);
          return field === 'state' ? NOT_YET_VERIFIED : field === 'email' ? address : '';
        });
      return { rows: rows.map(cellsOf), next };
    },
  };
}
