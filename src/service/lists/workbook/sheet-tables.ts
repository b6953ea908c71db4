/**
 * The tables of a sheet (ECMA-376, part 1, section 18.5.1.2). Formulas of other sheets name them and their columns, so
 * they stay when the rows of the sheet are replaced. A spreadsheet calls a file damaged if the titles of a table do not
 * stand in its first row, or if two tables overlap.
 */
import {
  attributeOf,
  type Edit,
  edited,
  NotXmlError,
  type Tag,
  tagsOf,
  withAttributes,
} from '../../files/xml-tags.ts';
import { columnLetters, columnNumber } from '../column-letters.ts';

export interface SheetTable {
  readonly xml: string;
  /** Its first and its last column, from 0. */
  readonly first: number;
  readonly last: number;
  readonly titles: readonly string[];
}

const REFERENCE = /^\$?([A-Z]{1,3})\$?\d{1,7}(?::\$?([A-Z]{1,3})\$?\d{1,7})?$/;

/** @throws {NotXmlError} if it is not a table */
export function readTable(xml: string): SheetTable {
  const tags = [...tagsOf(xml)];
  const table = tags.find(({ name }) => name === 'table');
  const place = REFERENCE.exec((table && attributeOf(table, 'ref')) ?? '');
  if (!place) throw new NotXmlError('Expected a table, got another part.');
  const [, first, last = first] = place;
  const titles = tags
    .filter(({ name, kind }) => name === 'tableColumn' && kind !== 'close')
    .map((tag) => attributeOf(tag, 'name') ?? '');
  return { xml, first: columnNumber(first!), last: columnNumber(last!), titles };
}

/** The rows that a download writes. */
export interface Written {
  readonly titles: readonly string[];
  /** How many rows there are below the titles. */
  readonly rows: number;
}

/**
 * Gives the tables of a sheet their places among other rows. One whose titles are in the first row has all rows. The
 * others have no titles, and one empty row each below all rows.
 */
export function placeTables(tables: readonly SheetTable[], { titles, rows }: Written): string[] {
  const taken: SheetTable[] = [];
  return tables.map((table, index) => {
    const isAbove = table.titles.every((title, at) => isSame(title, titles[table.first + at] ?? ''));
    const isFree = taken.every(({ first, last }) => last < table.first || table.last < first);
    if (!isAbove || !isFree || table.titles.length !== table.last - table.first + 1)
      return placed(table, 3 + rows + index, 0);
    taken.push(table);
    return placed(table, 1, Math.max(1, rows));
  });
}

/** A line end in a title is written as `_x000a_`. */
const isSame = (title: string, other: string) => plain(title) === plain(other);
const plain = (title: string) =>
  title
    .replace(/_x([\da-f]{4})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\r\n?/g, '\n');

/** @param rows how many there are below the titles. 0 for a table without titles that has one row */
function placed({ xml, first, last }: SheetTable, row: number, rows: number): string {
  const ref = `${columnLetters(first)}${row}:${columnLetters(last)}${row + rows}`;
  const edits: Edit[] = [];
  let open: { readonly name: string; readonly from: number; readonly by: string } | undefined;
  for (const tag of tagsOf(xml)) {
    if (open) {
      if (tag.kind !== 'close' || tag.name !== open.name) continue;
      edits.push({ from: open.from, to: tag.to, by: open.by });
      open = undefined;
      continue;
    }
    const by = replacementOf(tag, ref, rows > 0);
    if (by === undefined) continue;
    if (tag.kind === 'open' && tag.name !== 'table') open = { name: tag.name, from: tag.from, by };
    else edits.push({ from: tag.from, to: tag.to, by });
  }
  return edited(xml, edits);
}

/** The row of totals is one of the rows now. Which rows a filter shows was decided for others. */
function replacementOf(tag: Tag, ref: string, hasTitles: boolean): string | undefined {
  if (tag.kind === 'close') return undefined;
  if (tag.name === 'table') {
    const without = hasTitles ? {} : { headerRowCount: '0' };
    return withAttributes(tag, { ref, ...without, totalsRowCount: undefined, totalsRowShown: '0' });
  }
  if (tag.name === 'autoFilter') return hasTitles ? withAttributes({ ...tag, kind: 'empty' }, { ref }) : '';
  return tag.name === 'sortState' ? '' : undefined;
}
