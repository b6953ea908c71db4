/** Writes the rows of an export as an XLSX file. Its cells are texts and numbers, so no formula can come from outside. */
import type { ReadableStream } from 'node:stream/web';
// hucre writes a row at a time. ExcelJS is not maintained, and SheetJS needs the whole file in memory.
import { type CellValue, writeXlsxStream } from 'hucre/xlsx';
import type { Cells } from './export-rows.ts';

/** What the sheet of the upload was like. */
export interface SheetForm {
  /** A file of another program may have a name that XLSX cannot. @default 'Results' */
  readonly name?: string | undefined;
  /** The number format of each column that has one. */
  readonly formats: readonly (string | null)[];
}

/** XML cannot have these characters (XML 1.0, section 2.2). */
const NOT_IN_XML = /(?![\t\n\r])\p{Cc}|[\p{Cs}\ufffe\uffff]/gu;

/** @param steps the titles, and then the rows, a few at a time */
export async function* writeWorkbook(
  steps: AsyncIterable<readonly Cells[]>,
  { name = '', formats }: SheetForm,
): AsyncGenerator<Uint8Array> {
  const columns = formats.map((numFmt) => (numFmt === null ? {} : { numFmt }));
  const stream = writeXlsxStream(rowsOf(steps), {
    name: sheetName(name),
    ...(columns.length > 0 && { columns }),
  });
  yield* stream as ReadableStream<Uint8Array>;
}

/** Excel takes no longer name, none of these characters, and no apostrophe at an end. */
const LONGEST_NAME = 31;
const NOT_IN_NAME = /[[\]:*?/\\]/g;
const NOT_AT_END = /^['\s]+|['\s]+$/g;

const sheetName = (name: string): string =>
  name
    .replace(NOT_IN_XML, '')
    .replace(NOT_IN_NAME, '_')
    .slice(0, LONGEST_NAME)
    // Half of a character.
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(NOT_AT_END, '') || 'Results';

async function* rowsOf(steps: AsyncIterable<readonly Cells[]>): AsyncGenerator<CellValue[]> {
  for await (const rows of steps) for (const row of rows) yield row.map(contentOf);
}

/** What a cell of XLSX can have: a text, a number, a boolean or nothing. */
export function contentOf(cell: unknown): string | number | boolean | null {
  if (typeof cell === 'string') return cell.replace(NOT_IN_XML, '') || null;
  return typeof cell === 'number' || typeof cell === 'boolean' ? cell : null;
}
