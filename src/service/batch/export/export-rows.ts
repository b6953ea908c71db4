/** The rows of an export, of a list or of results alone, in steps that do not delay others. */
import type { Reason } from '../../../protocol/result.ts';
import { nextTurn } from '../../../shared/steps.ts';
import type { Db } from '../../database/schema.ts';
import { addressIn, hasAddress } from '../../lists/reading/address-in.ts';
import { GENERAL } from '../../lists/reading/cell-number.ts';
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
  type ResultLine,
  readListPage,
  readResultPage,
  readSeveralPage,
  type SeveralLine,
} from './export-store.ts';
import { isMeant, isWanted, type RowAddress, type RowChoice } from './row-choice.ts';

export interface RowOptions {
  readonly filter: ResultFilter;
  readonly columns: ColumnChoice;
  /** @default 'all' */
  readonly rows?: RowChoice | undefined;
  /** Whether cells of a workbook keep their values and formats, or are written as the spreadsheet shows them. */
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
  /** The lines are made while they are taken: a row of a list can have hundreds, each with all cells of the row. */
  read(from: number): Promise<{ readonly lines: Iterable<Line>; readonly next: number }>;
}

/** A line of a file. */
export interface Line {
  readonly cells: Cells;
  /** The number of its row in the list. Undefined for a result without a list. */
  readonly number?: number;
  /** Whether the file has it. */
  readonly isWanted: boolean;
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
  for await (const lines of readLines(db, batch, options)) yield lines.map(({ cells }) => cells);
}

/** As `readSteps()`, with the number of each row. The titles have the one before the first row. */
export async function* readLines(
  db: Db,
  batch: Exportable,
  options: RowOptions,
): AsyncGenerator<readonly Line[]> {
  const { titles, end, read } = batch.list
    ? tableOfList(db, batch, batch.list, options)
    : tableOfResults(db, batch, options);
  yield [{ cells: titles, isWanted: true, number: (batch.list?.first_number ?? 0) - 1 }];
  for (let from = 0; from < end; ) {
    const { lines, next } = await read(from);
    for (const some of stepsOf(lines)) {
      await nextTurn();
      yield some;
    }
    from = next;
  }
  // A filtered row looks like a deleted one.
  if (!(await isKept(db, batch.id))) throw new ResultsDeletedError();
}

/** What is made and written in one turn of the event loop: a few lines, or one long one. */
function* stepsOf(lines: Iterable<Line>): Generator<readonly Line[]> {
  let some: Line[] = [];
  let size = 0;
  for (const line of lines) {
    if (line.isWanted) some.push(line);
    size += line.cells.reduce((sum: number, cell) => sum + CELL_CHARACTERS + textOf(cell).length, 0);
    if (size < MOST_WRITTEN) continue;
    yield some;
    [some, size] = [[], 0];
  }
  if (some.length > 0) yield some;
}

const textOf = (cell: unknown) => String(cell instanceof FormattedCell ? cell.value : cell);

/** Each row of the list, including rows without an address and duplicates. */
function tableOfList(db: Db, batch: Exportable, list: OwnList, options: RowOptions): Table {
  const { filter, columns, rows: choice = 'all' } = options;
  const fields = listFields(columns);
  const contentOf = fieldOf(options);
  const seen = new Uint8Array(batch.distinct_total);
  const say: Say = (place, result, whyNone, { isMatch = true, isRepeated = false } = {}) => {
    const isDuplicate = place !== null && seen[place] === 1;
    if (place !== null) seen[place] = 1;
    const none: Readonly<Record<string, string>> = {
      state: place !== null && batch.is_open ? NOT_YET_VERIFIED : NOT_VERIFIED,
      reason: whyNone,
    };
    const cells = [
      ...fields.map((field) => (result ? contentOf(result, field) : (none[field] ?? ''))),
      isDuplicate,
    ];
    return { cells, hasAddress: place !== null, isDuplicate, isRepeated, isMatch };
  };
  const lineOf = (number: number, own: Cells, said: readonly Said[]): Line => ({
    number,
    cells: [...own, ...said.flatMap(({ cells }) => cells)],
    isWanted: isWanted(choice, said),
  });
  const ownOf = ownCells(list, options);
  const shared = { titles: listTitles(list, fields), end: list.last_number + 1 };
  if (list.address_columns === null) {
    const { address_column } = list;
    function* linesOfRows(rows: readonly ListLine[]): Generator<Line> {
      for (const row of rows) {
        const { cells, place, result } = row;
        const whyNone = place === null ? whyLeftOut(cells[address_column] ?? '') : '';
        yield lineOf(row.number, ownOf(row), [say(place, result, whyNone)]);
      }
    }
    return {
      ...shared,
      async read(from) {
        const { rows, next } = await readListPage(db, batch.id, list.id, filter, from, PAGE);
        return { lines: linesOfRows(rows), next };
      },
    };
  }
  const linesOfRows = severalLines(list.address_columns, { filter, rows: choice }, ownOf, say, lineOf);
  return {
    ...shared,
    async read(from) {
      const { rows, next } = await readSeveralPage(db, batch.id, list.id, filter, from, PAGE);
      return { lines: linesOfRows(rows), next };
    },
  };
}

type Own = Pick<ListLine, 'cells' | 'numbers'>;

/** The columns of one address, with what decides whether a file has them. */
type Said = RowAddress & { readonly cells: Cells };

/** @param whyNone why the cell has no address in the batch, or empty */
type Say = (
  place: number | null,
  result: BatchResult | null | undefined,
  whyNone: string,
  about?: Partial<Pick<RowAddress, 'isMatch' | 'isRepeated'>>,
) => Said;

/** A cell with the number format that it had. */
export class FormattedCell {
  constructor(
    readonly value: unknown,
    readonly format: string,
  ) {}
}

/** The cells of the list itself. */
function ownCells({ columns, findings }: OwnList, { keepsValues }: RowOptions) {
  const { formats = [], textFormats = [], otherFormats = [] } = findings;
  const cellOf = ({ cells, numbers }: Own, column: number): unknown => {
    const text = cells[column] ?? '';
    if (!keepsValues || text === '') return text;
    const stored = numbers?.[column] ?? null;
    if (Array.isArray(stored)) return new FormattedCell(stored[0] ?? text, otherFormats[stored[1]]!);
    const format = (typeof stored === 'number' ? formats : textFormats)[column];
    // An earlier version stored numbers of a column with several formats without theirs.
    const value = typeof stored === 'number' && !format ? text : (stored ?? text);
    return format && format !== GENERAL ? new FormattedCell(value, format) : value;
  };
  return (line: Own): unknown[] => Array.from({ length: columns }, (_, column) => cellOf(line, column));
}

/**
 * The lines of rows that may have several addresses: one for each address of the cell that has the most. A file for some
 * addresses leaves the cells of others empty, because who imports one of its columns would import those, too.
 */
function severalLines(
  columns: readonly number[],
  { filter, rows: choice = 'all' }: Pick<RowOptions, 'filter' | 'rows'>,
  ownOf: (line: Own) => unknown[],
  say: Say,
  lineOf: (number: number, own: Cells, said: readonly Said[]) => Line,
) {
  const hasAll = isEmpty(filter);
  return function* linesOfRows(rows: readonly SeveralLine[]): Generator<Line> {
    for (const row of rows) {
      const { places, results } = row;
      const matching = new Set(row.matching);
      const cells = columns.map((column) => row.cells[column] ?? '');
      // Once for all lines of the row, because each reads the whole cell.
      const whyNone = cells.map((cell, each) =>
        (places?.[each]?.[0] ?? null) === null ? whyLeftOut(cell) : '',
      );
      // A cell that was split has one of its addresses in each line.
      const split = cells.map((cell, each) =>
        (places?.[each]?.[1] ?? null) === null ? [] : addressesIn(cell),
      );
      const count = places?.[0]?.length ?? 1;
      for (let index = 0; index < count; index += 1) {
        const theirs = columns.map((_, each) => places?.[each]?.[index] ?? places?.[each]?.[0] ?? null);
        if (!hasAll && !theirs.some((place) => place !== null && matching.has(place))) continue;
        const own = ownOf(row);
        const said = theirs.map((place, each) => {
          const column = columns[each]!;
          own[column] = split[each]![index] ?? own[column];
          const address = say(place, place === null ? null : results?.[place], whyNone[each]!, {
            isMatch: hasAll || (place !== null && matching.has(place)),
            isRepeated: index > 0 && (places?.[each]?.[index] ?? null) === null,
          });
          if ((choice !== 'once' && choice !== 'duplicates') || isMeant(choice, address)) return address;
          own[column] = '';
          return { ...address, cells: address.cells.map(() => '') };
        });
        yield lineOf(row.number, own, said);
      }
    }
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
      return { lines: rows.map((row) => ({ cells: cellsOf(row), isWanted: true })), next };
    },
  };
}
