/**
 * The values of a sheet's cells as they are stored beside their texts, so that a workbook of results has them as they were.
 * A column mostly has one format, which is stored once.
 */
import type { CellObject } from '@e965/xlsx';
import { formatOf, GENERAL, numberOf } from './cell-number.ts';
import { MAX_COLUMNS } from './list-limits.ts';

type Value = number | boolean | null;

/** Null is a text. A cell whose format is not that of its column has the place of the format in `otherFormats`, too. */
export type StoredValue = Value | readonly [value: Value, format: number];

export type SheetFormats = ReturnType<typeof sheetFormats>;

type Rows = readonly (readonly (CellObject | undefined)[] | undefined)[];

export function sheetFormats(data: Rows, is1904: boolean) {
  const found = countFormats(data);
  const numbers = Array.from(found.numbers, (counts) =>
    counts?.size === 1 ? [...counts.keys()][0] || null : null,
  );
  const most = Array.from(found.texts, (counts) => (counts ? mostOf(counts) : GENERAL));
  const others = new Map<string, number>();
  return {
    /** The format of each column whose numbers all have it, or null. */
    numbers,
    /** The format that most texts and booleans of each column have. Null for the usual one, and none if all have that. */
    texts: most.some((format) => format !== GENERAL)
      ? most.map((format) => (format === GENERAL ? null : format))
      : [],
    /** The formats of single cells, once all cells are stored. */
    get others() {
      return [...others.keys()];
    },
    stored(cell: CellObject, column: number): StoredValue {
      if (isEmpty(cell) || column >= MAX_COLUMNS) return null;
      const number = numberOf(cell, is1904);
      const value = number ?? (cell.t === 'b' ? cell.v === true : null);
      const format = formatOf(cell);
      if (format === (number === undefined ? (most[column] ?? GENERAL) : numbers[column])) return value;
      if (format !== '' && !others.has(format) && others.size < MOST_OTHERS) others.set(format, others.size);
      const place = others.get(format);
      if (place !== undefined) return [value, place];
      // Without its format, a date would be a number. Its text stays as it was shown.
      return number === undefined ? value : null;
    },
  };
}

/** Spreadsheets take up to 250 of their own besides those that they have (Microsoft's page "Excel specifications and limits"). */
const MOST_OTHERS = 300;

const isEmpty = ({ t, v }: CellObject) => t === 'z' || v === undefined || v === '';

/** How many cells have each format. */
type Counts = Map<string, number>;

function countFormats(data: Rows) {
  const numbers: (Counts | undefined)[] = [];
  const texts: (Counts | undefined)[] = [];
  data.forEach((cells) => {
    cells?.slice(0, MAX_COLUMNS).forEach((cell, column) => {
      if (!cell || isEmpty(cell)) return;
      const all = cell.t === 'n' ? numbers : texts;
      const counts: Counts = all[column] ?? new Map();
      all[column] = counts;
      const format = formatOf(cell);
      counts.set(format, (counts.get(format) ?? 0) + 1);
    });
  });
  return { numbers, texts };
}

const mostOf = (counts: Counts): string =>
  [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [GENERAL, 0])[0] || GENERAL;
