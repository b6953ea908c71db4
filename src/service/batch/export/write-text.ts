/** Writes the rows of an export as CSV, in the form of the uploaded file. */
import iconv from 'iconv-lite';
import { BYTE_ORDER_MARK, csvLines } from '../../files/csv-cells.ts';
import { RFC_4180 } from '../../files/csv-style.ts';
import type { TextForm } from '../../lists/reading/read-list.ts';
import { slicesOf } from '../download/slices.ts';
import type { Cells } from './export-rows.ts';

/** The form of a file that was not a text. Excel does not recognise UTF-8 without the mark. */
const FOR_PEOPLE: TextForm = { style: RFC_4180, codec: 'UTF-8', hasMark: true };

/** @param steps the titles, and then the rows, a few at a time */
export async function* writeText(
  steps: AsyncIterable<readonly Cells[]>,
  form: TextForm = FOR_PEOPLE,
): AsyncGenerator<Buffer> {
  const { style, codec, hasMark, namesSeparator } = form;
  const named = namesSeparator ? `sep=${style.separator}${style.lineEnd}` : '';
  let before = (hasMark ? BYTE_ORDER_MARK : '') + named;
  for await (const rows of steps) {
    // The list may have telephone numbers.
    const text = before + csvLines(rows, { keepsNumbers: true, style });
    yield* slicesOf(codec === 'UTF-8' ? Buffer.from(text) : iconv.encode(text, codec));
    before = '';
  }
}
