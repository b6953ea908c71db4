/**
 * The XML of a sheet without its rows, in which a download writes others. What belongs to single cells is left out,
 * because it would stand beside the wrong ones: comments, links, merged cells, rules, filters.
 */
import {
  attributeOf,
  decodeXml,
  type Edit,
  edited,
  NotXmlError,
  type Tag,
  tagsOf,
  withAttributes,
} from '../../files/xml-tags.ts';
import { columnNumber } from '../column-letters.ts';

export interface SheetFrame {
  /** What stands before the rows, and after them. */
  readonly head: string;
  readonly tail: string;
  /** The prefix of its tags, with the colon, or empty. */
  readonly prefix: string;
  readonly styles: ColumnStyles;
}

/** The number of the style of each column's cells (ECMA-376, part 1, section 18.3.1.4). Null for none. */
export interface ColumnStyles {
  readonly titles: readonly (number | null)[];
  readonly numbers: readonly (number | null)[];
  readonly texts: readonly (number | null)[];
}

/** The children of a sheet that stay (section 18.3.1.99). They are of the sheet, its columns or its pages. */
const KEPT_BEFORE = new Set(['sheetPr', 'sheetViews', 'sheetFormatPr', 'cols']);
const KEPT_AFTER = new Set([
  ...['printOptions', 'pageMargins', 'pageSetup', 'headerFooter', 'drawing', 'legacyDrawingHF', 'picture'],
  'tableParts',
]);

/** Every download reads it from the database. */
const MOST_CHARACTERS = 128 * 1024;
/** What stands after the rows is of single cells for the most part, such as their links. */
const MOST_AFTER = 32 * 1024 * 1024;

export interface OwnColumns {
  /** How many columns the list has. Those of the result come after them. */
  readonly columns: number;
  /** The number format of each column whose numbers have one format. */
  readonly formats: readonly (string | null)[];
  /** The number of the row with the titles in the sheet, from 1. Undefined without titles. */
  readonly titles: number | undefined;
}

/**
 * @param xml the sheet
 * @returns undefined if it has no rows, or too much beside them
 * @throws {NotXmlError} if it is not XML
 */
export function frameOf(xml: Buffer, own: OwnColumns): SheetFrame | undefined {
  const from = findTag(xml, 0);
  const to = xml.lastIndexOf(ROWS);
  if (from < 0 || to <= from) return undefined;
  const start = xml.indexOf('>', from);
  const end = xml.lastIndexOf('<', to);
  const after = xml.indexOf('>', to) + 1;
  if (start < 0 || start >= end || xml.length - after > MOST_AFTER || from > MOST_AFTER) return undefined;
  const { prefix, head } = readHead(xml.toString('utf8', 0, from), own.columns);
  const tail = readTail(xml.toString('utf8', after));
  if (head.length + tail.length > MOST_CHARACTERS) return undefined;
  return { head, tail, prefix, styles: stylesOf(xml.subarray(start, end), own) };
}

const ROWS = 'sheetData';

/** Where the tag of the rows begins. A word of this name elsewhere is no tag. */
function findTag(xml: Buffer, from: number): number {
  for (let at = xml.indexOf(ROWS, from); at >= 0; at = xml.indexOf(ROWS, at + 1)) {
    const mark = xml.lastIndexOf('<', at);
    if (mark >= 0 && /^<(?:[\w.-]+:)?$/.test(xml.toString('latin1', mark, at))) return mark;
  }
  return -1;
}

function readHead(xml: string, columns: number): { readonly prefix: string; readonly head: string } {
  const edits: Edit[] = [];
  let root: Tag | undefined;
  for (const { tag, from, to } of childrenOf(xml, 0, (first) => {
    root = first;
  })) {
    if (tag === undefined) continue;
    const by = KEPT_BEFORE.has(tag.name) ? keptBefore(xml.slice(from, to), tag.name, columns) : '';
    edits.push({ from, to, by });
  }
  if (root?.name !== 'worksheet') throw new NotXmlError('Expected a worksheet, got another part.');
  return { prefix: root.prefix, head: edited(xml, edits) };
}

function readTail(xml: string): string {
  let kept = '';
  let end = '';
  for (const { tag, from, to } of childrenOf(xml, 1)) {
    if (tag === undefined) end = xml.slice(from, to);
    else if (KEPT_AFTER.has(tag.name)) kept += xml.slice(from, to);
  }
  return kept + end;
}

interface Child {
  /** Undefined for the end of the sheet. */
  readonly tag: Tag | undefined;
  readonly from: number;
  readonly to: number;
}

/** The children of the root element. @param depth how many elements are open at the start */
function* childrenOf(xml: string, depth: number, onRoot?: (root: Tag) => void): Generator<Child> {
  let child: Tag | undefined;
  let now = depth;
  for (const tag of tagsOf(xml)) {
    if (tag.kind === 'close') {
      now -= 1;
      if (now === 1 && child) {
        yield { tag: child, from: child.from, to: tag.to };
        child = undefined;
      } else if (now === 0) yield { tag: undefined, from: tag.from, to: tag.to };
      continue;
    }
    if (now === 0) onRoot?.(tag);
    if (now === 1 && tag.kind === 'empty') yield { tag, from: tag.from, to: tag.to };
    if (tag.kind === 'empty') continue;
    if (now === 1) child = tag;
    now += 1;
  }
  if (child || (depth === 0 ? now !== 1 : now !== 0))
    throw new NotXmlError('Expected the rows in the sheet itself, got them elsewhere.');
}

function keptBefore(xml: string, name: string, columns: number): string {
  const [first] = tagsOf(xml);
  const rest = xml.slice(first!.to);
  // No row is filtered or hidden in a download.
  if (name === 'sheetPr') return withAttributes(first!, { filterMode: undefined }) + rest;
  if (name === 'sheetFormatPr') return withAttributes(first!, { zeroHeight: undefined }) + rest;
  return name === 'cols' ? ownColumns(xml, columns) : xml;
}

/** What a sheet says of the columns after the last one, such as that they are hidden, is not for those of the result. */
function ownColumns(xml: string, columns: number): string {
  const edits: Edit[] = [];
  let kept = 0;
  for (const tag of tagsOf(xml)) {
    if (tag.name !== 'col' || tag.kind === 'close') continue;
    const isOwn = Number(attributeOf(tag, 'min')) <= columns;
    if (isOwn) kept += 1;
    const last = String(Math.min(columns, Number(attributeOf(tag, 'max'))));
    edits.push({ from: tag.from, to: tag.to, by: isOwn ? withAttributes(tag, { max: last }) : '' });
  }
  return kept === 0 ? '' : edited(xml, edits);
}

/** How many cells decide on the style of a column. */
const LOOKED_AT = 1_000;

const CELL = /<(?:[\w.-]+:)?c(\s[^<>]*)?>/g;
/** The characters that are read at once. No tag of a cell is nearly as long. */
const PIECE = 1024 * 1024;
const OVERLAP = 1024;

/** Of the numbers of a column, all have one format, so any style will do. Of the texts, the most frequent one. */
function stylesOf(rows: Buffer, { columns, formats, titles }: OwnColumns): ColumnStyles {
  const none = () => Array.from({ length: columns }, (): number | null => null);
  const styles = { titles: none(), numbers: none() };
  const texts = Array.from({ length: columns }, () => new Map<number, number>());
  const open = new Set(formats.flatMap((format, column) => (format && column < columns ? [column] : [])));
  let looked = 0;
  let [row, column] = [0, -1];
  for (const tag of cellsOf(rows)) {
    const place = /\sr\s*=\s*["']([A-Z]{1,3})(\d{1,7})["']/.exec(tag);
    if (place && Number(place[2]) !== row) [row, looked] = [Number(place[2]), looked + 1];
    column = place ? columnNumber(place[1]!) : column + 1;
    if (looked > LOOKED_AT && open.size === 0) break;
    if (column >= columns) continue;
    const style = Number(/\ss\s*=\s*["'](\d{1,6})["']/.exec(tag)?.[1] ?? 0);
    if (row === titles) {
      styles.titles[column] = style;
      continue;
    }
    const isNumber = !/\st\s*=\s*["'](?!n["'])/.test(tag) && !tag.endsWith('/>');
    if (isNumber) {
      styles.numbers[column] ??= style;
      open.delete(column);
    } else if (looked <= LOOKED_AT) {
      const counts = texts[column]!;
      counts.set(style, (counts.get(style) ?? 0) + 1);
    }
  }
  return { ...styles, texts: texts.map(mostFrequent) };
}

function* cellsOf(rows: Buffer): Generator<string> {
  for (let from = 0; from < rows.length; from += PIECE) {
    const piece = rows.toString('latin1', from, from + PIECE + OVERLAP);
    for (const found of piece.matchAll(CELL)) {
      if (found.index >= PIECE) break;
      yield found[0];
    }
  }
}

const mostFrequent = (counts: ReadonlyMap<number, number>): number | null =>
  [...counts].reduce<[number | null, number]>(
    (best, [style, count]) => (count > best[1] ? [style, count] : best),
    [null, 0],
  )[0];

/** The texts of the tags that refer to other parts. */
export const referencesIn = ({ head, tail }: Pick<SheetFrame, 'head' | 'tail'>): ReadonlySet<string> =>
  new Set(
    [...`${head}${tail}`.matchAll(/\s[\w.-]+:id\s*=\s*["']([^"']*)["']/g)].map(([, id]) => decodeXml(id!)),
  );
