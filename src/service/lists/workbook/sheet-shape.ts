/** What a download needs to know of a sheet to add columns to its rows: its form, its rows, and where it has room. */
import { NotXmlError, tagsOf } from '../../files/xml-tags.ts';
import { columnNumber } from '../column-letters.ts';

export interface SheetShape {
  /** The prefix of its tags, with the colon, or empty. */
  readonly prefix: string;
  /** The first column after all cells with anything in them, from 0. */
  readonly free: number;
  /** Whether there are empty cells in the columns from there on, which have a look at most. */
  readonly hasEmptyBeyond: boolean;
}

/** What stands before the rows is held in memory. */
export const MOST_HEAD_BYTES = 1024 * 1024;
/** A sheet has no further columns, and a result has fewer than these (ECMA-376, part 1, section 18.3.1.73). */
const LAST_FREE = 16_384 - 1_000;

/** Where words that look like tags need not be tags. Spreadsheets write neither. */
const NOT_TAGS = ['<!--', '<![CDATA['];

/**
 * @param columns how many columns its list has
 * @returns undefined if the sheet has no room, or another form than spreadsheets write
 * @throws {NotXmlError} if it is not XML
 */
export function shapeOf(xml: Buffer, columns: number): SheetShape | undefined {
  const head = xml.toString('latin1', 0, MOST_HEAD_BYTES);
  const [rows] = /<(?:[\w.-]+:)?sheetData[\s>]/.exec(head) ?? [];
  if (rows === undefined || NOT_TAGS.some((mark) => xml.includes(mark))) return undefined;
  const before = head.slice(0, head.indexOf(rows));
  const [root] = tagsOf(before);
  if (root?.name !== 'worksheet' || !rows.startsWith(`<${root.prefix}sheetData`)) return undefined;
  // All must be tags, and as many close as open, but for the sheet itself.
  const depth = [...tagsOf(before)].reduce(
    (open, { kind }) => open + (kind === 'open' ? 1 : kind === 'close' ? -1 : 0),
    0,
  );
  if (depth !== 1) throw new NotXmlError('Expected the rows in the sheet itself, got them elsewhere.');
  const { free, last, arePlaced } = columnsOf(xml.subarray(before.length), columns);
  const hasEmptyBeyond = last >= free;
  return free > LAST_FREE || (hasEmptyBeyond && !arePlaced)
    ? undefined
    : { prefix: root.prefix, free, hasEmptyBeyond };
}

/** The characters that are read at once, and by how many the reads overlap. No tag of a cell is as long. */
const PIECE = 1024 * 1024;
const OVERLAP = 4 * 1024;

const CELL = /<(?:[\w.-]+:)?(row|c)(\s[^<>]*)?>/g;

/** The first column after those with anything in them, the last one of any cell, and whether each cell names its own. */
function columnsOf(rows: Buffer, columns: number) {
  let [free, last, column, arePlaced] = [columns, -1, -1, true];
  for (let from = 0; from < rows.length; from += PIECE) {
    const piece = rows.toString('latin1', from, from + PIECE + OVERLAP);
    for (const { 0: tag, 1: name, 2: attributes = '', index } of piece.matchAll(CELL)) {
      if (index >= PIECE) break;
      if (name === 'row') {
        column = -1;
        continue;
      }
      const letters = /\sr\s*=\s*["']([A-Z]{1,3})\d/.exec(attributes)?.[1];
      if (letters === undefined) arePlaced = false;
      column = letters === undefined ? column + 1 : columnNumber(letters);
      last = Math.max(last, column);
      if (column >= free && !tag.endsWith('/>')) free = column + 1;
    }
  }
  return { free, last, arePlaced };
}
