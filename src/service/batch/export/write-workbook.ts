/** Writes the rows of an export as an XLSX file. Its cells are values, so no formula can come from outside. */
import type { ReadableStream } from 'node:stream/web';
// hucre writes a row at a time. ExcelJS is not maintained, and SheetJS needs the whole file in memory.
import type { CellValue, ColumnDef } from 'hucre/xlsx';
import { type Cells, FormattedCell } from './export-rows.ts';

/** XML cannot have these characters (XML 1.0, section 2.2). */
const NOT_IN_XML = /(?![\t\n\r])\p{Cc}|[\p{Cs}\ufffe\uffff]/gu;

/**
 * @param steps the titles, and then the rows, a few at a time
 * @param name the sheet's. A file of another program may have one that XLSX cannot
 */
export async function* writeWorkbook(
  steps: AsyncIterable<readonly Cells[]>,
  name = '',
): AsyncGenerator<Uint8Array> {
  // It has 74 files, which no start of the service should load.
  const { writeXlsxStream } = await import('hucre/xlsx');
  const row = new FormattedRow();
  const stream = writeXlsxStream(row.each(steps), { name: sheetName(name), columns: row.columns });
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

/** The library takes a format for each column. It asks for it with each row, so each row has formats of its own. */
class FormattedRow {
  readonly columns: ColumnDef[] = [];
  #cells: Cells = [];

  async *each(steps: AsyncIterable<readonly Cells[]>): AsyncGenerator<CellValue[]> {
    for await (const rows of steps)
      for (const cells of rows) {
        while (this.columns.length < cells.length) this.columns.push(this.#column(this.columns.length));
        this.#cells = cells;
        yield cells.map((cell) => contentOf(cell instanceof FormattedCell ? cell.value : cell));
      }
  }

  #column(index: number): ColumnDef {
    const formatOf = () => {
      const cell = this.#cells[index];
      return cell instanceof FormattedCell ? cell.format : undefined;
    };
    return {
      get numFmt() {
        return formatOf();
      },
    } as ColumnDef;
  }
}

/** What a cell of XLSX can have: a text, a number, a boolean or nothing. */
export function contentOf(cell: unknown): string | number | boolean | null {
  if (typeof cell === 'string') return cell.replace(NOT_IN_XML, '') || null;
  return typeof cell === 'number' || typeof cell === 'boolean' ? cell : null;
}
