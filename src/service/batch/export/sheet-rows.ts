/** Writes the rows of an export as the XML of a sheet, between what its upload had before and after them. */
import { escapeXml } from '../../files/xml-tags.ts';
import { columnLetters } from '../../lists/column-letters.ts';
import { DAYS_TO_1904, isDate } from '../../lists/workbook/dates.ts';
import type { Original } from '../../lists/workbook/original.ts';
import type { Written } from '../../lists/workbook/sheet-tables.ts';
import type { Cells } from './export-rows.ts';
import { contentOf } from './write-workbook.ts';

export interface SheetRows {
  readonly original: Original;
  /** How many of the columns are the list's own. */
  readonly columns: number;
  /** The number format of each own column that has one. */
  readonly formats: readonly (string | null)[];
}

/** A spreadsheet has no further rows (Microsoft's page "Excel specifications and limits"). */
const LAST_ROW = 1_048_576;

class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError';
}

/**
 * @param steps the titles, and then the rows, a few at a time
 * @param onEnd gets what was written
 */
export async function* writeSheet(
  steps: AsyncIterable<readonly Cells[]>,
  sheet: SheetRows,
  onEnd: (written: Written) => void,
): AsyncGenerator<Buffer> {
  const { head, tail, prefix } = sheet.original;
  const rowOf = createRows(sheet);
  let text = `${head}<${prefix}sheetData>`;
  let titles: Cells = [];
  let row = 0;
  for await (const rows of steps) {
    for (const cells of rows) {
      row += 1;
      if (row > LAST_ROW) throw new TooManyRowsError(`Expected at most ${LAST_ROW} rows, got more.`);
      if (row === 1) titles = cells;
      text += rowOf(cells, row);
    }
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(`</${prefix}sheetData>${tail}`);
  onEnd({ titles: titles.map(String), rows: row - 1 });
}

/** @returns the XML of a row. Rows count from 1, and the first one has the titles */
function createRows({ original, columns, formats }: SheetRows): (cells: Cells, row: number) => string {
  const { prefix, styles, is1904 } = original;
  const isDay = formats.map((format) => is1904 && format !== null && isDate(format));
  const attributesOf = (column: number, row: number, style: number | null | undefined) =>
    `r="${columnLetters(column)}${row}"${style ? ` s="${style}"` : ''}`;
  const textOf = (content: string) =>
    `<${prefix}is><${prefix}t xml:space="preserve">${escapeXml(content.replace(ESCAPED, '_x005F_'))}</${prefix}t></${prefix}is>`;

  return (cells, row) => {
    const written = cells.map((cell, column) => {
      const content = contentOf(cell);
      const isOwn = column < columns;
      const byKind = row === 1 ? styles.titles : typeof content === 'number' ? styles.numbers : styles.texts;
      const style = isOwn ? byKind[column] : undefined;
      const at = attributesOf(column, row, style);
      if (typeof content === 'string')
        return `<${prefix}c ${at} t="inlineStr">${textOf(content)}</${prefix}c>`;
      if (typeof content === 'boolean')
        return `<${prefix}c ${at} t="b"><${prefix}v>${content ? 1 : 0}</${prefix}v></${prefix}c>`;
      if (typeof content !== 'number') return style ? `<${prefix}c ${at}/>` : '';
      const value = isOwn && isDay[column] ? content - DAYS_TO_1904 : content;
      return `<${prefix}c ${at}><${prefix}v>${value}</${prefix}v></${prefix}c>`;
    });
    return `<${prefix}row r="${row}">${written.join('')}</${prefix}row>`;
  };
}

/** Spreadsheets read this as a character (ECMA-376, part 1, section 22.9.2.19). */
const ESCAPED = /_(?=x[\da-f]{4}_)/gi;
