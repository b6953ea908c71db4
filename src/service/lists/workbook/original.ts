/**
 * Whether a download can be the uploaded workbook, with the columns of the result in one of its sheets. Then its file is
 * kept, and this is what a download needs to know about it.
 */
import { attributeOf, NotXmlError, tagsOf } from '../../files/xml-tags.ts';
import {
  CONTENT_TYPES,
  nameOfPart,
  type Relation,
  ROOT_RELATIONS,
  relationsOf,
  relationsPartOf,
} from './package-parts.ts';
import { type SheetShape, shapeOf } from './sheet-shape.ts';

/** How a download adds the columns of the result to the sheet. */
export interface Original extends SheetShape {
  /** The size of the file. */
  readonly bytes: number;
  /** The name of the part with the sheet, and of the one with the workbook. */
  readonly part: string;
  readonly book: string;
  /** The place of the sheet in the workbook, from 0. */
  readonly index: number;
  /** Where the rows of the list are in the sheet. */
  readonly rows: readonly RowRun[];
}

/** Rows that follow each other in the list and in the sheet: the place of the first one, from 0, and its number, from 1. */
export type RowRun = readonly [place: number, number: number];

/** @returns the number of a row in the sheet, from 1 */
export function rowInSheet({ rows }: Pick<Original, 'rows'>, place: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (rows[middle]![0] <= place) low = middle;
    else high = middle - 1;
  }
  const [first, number] = rows[low]!;
  return number + place - first;
}

/**
 * Why a download has one sheet only, although the workbook has others. `kind`: it is no XLSX file. `large`: its file is
 * too large to be kept. `parts`: it has parts in which an address that is to be erased cannot be found, such as macros.
 * `form`: it is not written as spreadsheets write. `titles`: the sheet has no row for the titles of the result. `split`:
 * cells with several addresses become rows of their own. `erased`: an address of it was erased.
 */
export type WhyAlone = 'kind' | 'large' | 'parts' | 'form' | 'titles' | 'split' | 'erased';

/** The largest file that is kept. */
export const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Pictures count here. */
const MOST_PARTS = 4_000;
/** A part other than sheets and texts. */
const MOST_PART_BYTES = 4 * 1024 * 1024;

/** A search finds addresses in these, or they have none. A picture of an address is not found. */
const KEPT_PARTS =
  /\.(xml|rels|vml|svg|png|jpe?g|gif|bmp|tiff?|emf|wmf|webp)$|(^|\/)printerSettings[^/]*\.bin$|\/$/i;
/** Nested documents, signatures, and what runs. */
const OTHER_PARTS = /^(_xmlsignatures|xl\/(embeddings|activeX|ctrlProps|macrosheets|dialogsheets))\//i;

const WORKBOOK_TYPE = /spreadsheetml\.sheet\.main\+xml$/;

/** The parts of an XLSX file. */
export interface Parts {
  /** The size of the file. */
  readonly bytes: number;
  /** The names of all, pictures included. */
  readonly names: readonly string[];
  /** @returns undefined if there is no such part of texts */
  read(name: string): Buffer | undefined;
}

/** What all sheets of a workbook share. */
export interface Book {
  readonly parts: Parts;
  readonly name: string;
  /** The names of the parts with the sheets, in the order of the workbook. Undefined for one that is not there. */
  readonly sheets: readonly (string | undefined)[];
}

/** @returns the workbook, or why its downloads have one sheet only */
export function readBook(parts: Parts): Book | WhyAlone {
  if (parts.bytes > MAX_KEPT_BYTES || parts.names.length > MOST_PARTS) return 'large';
  if (parts.names.some((name) => !KEPT_PARTS.test(name) || OTHER_PARTS.test(name))) return 'parts';
  if (new Set(parts.names.map(nameOfPart)).size < parts.names.length) return 'form';
  try {
    const { name, sheets } = sheetsIn(parts);
    const types = [...tagsOf(textOf(parts, CONTENT_TYPES))];
    const type = types.find((tag) => nameOfPart(attributeOf(tag, 'PartName') ?? '') === nameOfPart(name));
    // The file of a template has the wrong ending as a download, and spreadsheets refuse it.
    if (!WORKBOOK_TYPE.test((type && attributeOf(type, 'ContentType')) ?? '')) return 'parts';
    return { parts, name, sheets };
  } catch (error) {
    if (error instanceof FormError || error instanceof NotXmlError) return 'form';
    throw error;
  }
}

/** @returns how large each sheet is, or undefined if the workbook is not written as spreadsheets write */
export function sizesOfSheets(parts: Pick<Parts, 'read'>): number[] | undefined {
  try {
    return sheetsIn(parts).sheets.map((name) => (name === undefined ? 0 : (parts.read(name)?.length ?? 0)));
  } catch (error) {
    if (error instanceof FormError || error instanceof NotXmlError) return undefined;
    throw error;
  }
}

/** @throws {FormError} @throws {NotXmlError} */
function sheetsIn(parts: Pick<Parts, 'read'>): Pick<Book, 'name' | 'sheets'> {
  const name = relationsIn(parts, ROOT_RELATIONS, '').find(({ type }) => type === 'officeDocument')?.part;
  if (name === undefined) throw new FormError(ROOT_RELATIONS);
  const relations = new Map(
    relationsIn(parts, relationsPartOf(name), name).map(({ id, part }) => [id, part]),
  );
  const tags = [...tagsOf(textOf(parts, name))];
  const sheets = tags
    .filter((tag) => tag.name === 'sheet' && tag.kind !== 'close')
    .map((tag) => relations.get(attributeOf(tag, 'id') ?? ''));
  return { name, sheets };
}

/** Each download reads them. Most lists have one or two. */
const MOST_RUNS = 5_000;

/** @returns what a download needs to add columns to the sheet, or why it cannot */
export function originalOf(
  { parts, name, sheets }: Book,
  index: number,
  { columns, runs }: { readonly columns: number; readonly runs: readonly RowRun[] },
): Original | WhyAlone {
  const part = sheets[index];
  const xml = part === undefined ? undefined : parts.read(part);
  if (part === undefined || !xml || !isUnicode(xml) || runs.length > MOST_RUNS) return 'form';
  try {
    const shape = shapeOf(xml, columns);
    return shape ? { ...shape, bytes: parts.bytes, part, book: name, index, rows: runs } : 'form';
  } catch (error) {
    if (error instanceof NotXmlError) return 'form';
    throw error;
  }
}

const relationsIn = (parts: Pick<Parts, 'read'>, name: string, of: string): Relation[] =>
  relationsOf(textOf(parts, name), of);

/** A part is missing, is too large, or is not in UTF-8. */
class FormError extends Error {}

function textOf(parts: Pick<Parts, 'read'>, name: string): string {
  const part = parts.read(name);
  if (!part || part.length > MOST_PART_BYTES || !isUnicode(part)) throw new FormError(name);
  return part.toString('utf8');
}

/** Other encodings need a mark, or a name in the first line. */
function isUnicode(xml: Buffer): boolean {
  const head = xml.toString('latin1', 0, 200);
  const encoding = /^(?:\u00ef\u00bb\u00bf)?\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']*)/.exec(head)?.[1];
  return !head.includes('\0') && /^(utf-8|us-ascii)$/i.test(encoding ?? 'utf-8');
}
