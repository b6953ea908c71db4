/** Reads a list: turns its bytes into rows, and describes the rows. */

import { counted, shorten } from '../../core/format.ts';
import type { CsvStyle } from '../../files/csv-style.ts';
import { type Book, type Original, originalOf, type WhyAlone } from '../workbook/original.ts';
import { profileOf } from './column-profile.ts';
import { decode } from './decode-text.ts';
import { kindOf } from './file-kind.ts';
import { EMPTY, ListFault } from './list-fault.ts';
import { MAX_ROWS } from './list-limits.ts';
import { NUMBERED_ROWS, type Table, TOO_MANY_ROWS } from './list-table.ts';
import type { Encoding } from './other-encodings.ts';
import { readAnyText, readTable, type TextList } from './text-list.ts';
import { readSheets, type Sheet } from './workbook.ts';

/** The origin of a list. */
export interface Source {
  /** The name of the file. Absent for a text that was pasted. */
  readonly fileName?: string | undefined;
  /** The encoding in which its owner wants to read what is not in Unicode. @default a guess */
  readonly codec?: string | undefined;
}

/** How a text was written, so that the download is written the same way. */
export interface TextForm {
  readonly style: CsvStyle;
  /** The encoding, by the name that iconv-lite has for it. */
  readonly codec: string;
  /** Whether it begins with a byte order mark. */
  readonly hasMark: boolean;
  /** Whether its first line names the separator. */
  readonly namesSeparator?: boolean;
  /** Whether it is a plain list of addresses. */
  readonly isPlain?: boolean;
}

/** Facts about a table, in addition to its rows. */
export interface ListFacts {
  /** The encoding of a text. */
  readonly encoding?: string;
  /** The encodings to choose from, the one that was used first. Absent if it is certain. */
  readonly encodings?: readonly Encoding[];
  /** How the file was written. Absent for workbooks and pasted texts. */
  readonly form?: TextForm;
  readonly sheet?: string;
  /** Whether the workbook hides the sheet. */
  readonly isHidden?: boolean;
  readonly columns: number;
  /** All rows, the titles and what stands above them included. */
  readonly rows: number;
  /** The place of the row with the titles, from 0. Null if every row holds data. */
  readonly titles: number | null;
  /** The cells of that row. */
  readonly header: readonly string[] | null;
  readonly addressColumn: number;
  /** How many cells of each column have an address. */
  readonly addresses: readonly number[];
  /** How many characters the longest cell of each column has. */
  readonly longest: readonly number[];
  /** The numbers of the first rows in the file, if the file has empty rows between them. */
  readonly numbers?: readonly number[];
  /** How many cells have several addresses. */
  readonly joined?: number;
  /** The columns that the sheet hides. */
  readonly hiddenColumns?: readonly number[];
  /** How many rows the sheet hides, as a filter does. */
  readonly hiddenRows?: number;
  /** How many cells of the workbook have a formula without a value. */
  readonly uncalculated?: number;
  /** The number format of each column whose numbers have one format, so that they can be written as numbers. */
  readonly formats?: readonly (string | null)[];
  /** The number format that most texts of each column have, if one has another than usual. */
  readonly textFormats?: readonly (string | null)[];
  /** The number formats that single cells have, by which `StoredValue` names them. */
  readonly otherFormats?: readonly string[];
  /** How many other sheets the workbook has. Absent for none. */
  readonly otherSheets?: number;
  /** How many sheets of the workbook were not read, because enough others have addresses. Absent for none. */
  readonly unreadSheets?: number;
  /** How a download adds columns to the sheet in the workbook, which then is kept. */
  readonly original?: Original;
  /** Why a download has no other sheet. */
  readonly alone?: WhyAlone;
}

export interface ReadTable {
  readonly facts: ListFacts;
  /** Each row as a JSON array of strings. */
  readonly rows: readonly string[];
  /** The values of each row as JSON, if any row has some. */
  readonly numbers: readonly string[];
  /** The number of each row in the file, if it has empty rows between them. */
  readonly fileRows: readonly number[];
  /** The places of hidden rows, in their order. */
  readonly hidden: readonly number[];
}

/** What a file has: one table, or one of each sheet with addresses. */
export interface ReadList {
  readonly tables: readonly ReadTable[];
  /** Which of the tables is probably meant. */
  readonly chosen: number;
}

/** @throws {ListFault} if the bytes hold no list */
export async function readList(bytes: Buffer, source: Source): Promise<ReadList> {
  if (kindOf(bytes) === 'workbook') return readWorkbook(bytes);
  const { text, encoding, encodings, codec, hasMark } = decode(bytes, source.codec);
  const { table, style, namesSeparator, isPlain } = readText(text, source.fileName);
  if (table.rows.length === 0) throw new ListFault(EMPTY);
  if (!table.hasAddresses) throw new ListFault(noneIn(table, encoding, source));
  const isFile = source.fileName !== undefined;
  const form = isFile &&
    style && {
      ...{ style, codec, hasMark, ...(namesSeparator && { namesSeparator }) },
      ...(isPlain && { isPlain }),
    };
  const hasChoice = isFile && encodings.length > 0;
  const about = { encoding, ...(hasChoice && { encodings }), ...(form && { form }) };
  return { tables: [describe(table, about)], chosen: 0 };
}

/** How many characters of a file's only row a message has. */
const LONGEST_SHOWN = 60;

function noneIn(table: Table, encoding: string | undefined, { fileName }: Source): string {
  const { rows, columns } = table;
  const [place, how] = fileName === undefined ? ['this text', ''] : ['this file', `, as ${encoding}`];
  const only = rows.length === 1 ? table.head(1)[0] : undefined;
  if (only)
    return `We found no email address in ${place}, so it was not stored. It has only 1 row${how}: “${shorten(only.join(', '), LONGEST_SHOWN)}”.${fileName === undefined ? '' : ' If it should have more, export it again.'}`;
  return `We found no email address in ${place}, so it was not stored. We read ${counted(rows.length, 'row')} with ${counted(columns, 'column')}${how}.`;
}

/** The sheet that was in front is meant if it has addresses, or else the visible one with the most. */
async function readWorkbook(bytes: Buffer): Promise<ReadList> {
  const { sheets, uncalculated, count, unread, book } = await readSheets(bytes);
  const ranks = sheets.map(({ table, isHidden, isActive }) => [
    ...[isHidden ? 0 : 1, isActive ? 1 : 0],
    Math.max(...table.addresses.map((count) => count ?? 0)),
  ]);
  const isBetter = (one: readonly number[], other: readonly number[]) => {
    const at = one.findIndex((rank, index) => rank !== other[index]);
    return at >= 0 && one[at]! > other[at]!;
  };
  const chosen = ranks.reduce((best, rank, index) => (isBetter(rank, ranks[best]!) ? index : best), 0);
  const tables = sheets.map((each) => {
    const { table, sheet, isHidden, hiddenColumns, formats } = each;
    const described = describe(table, {
      ...{ sheet, ...(isHidden && { isHidden }), ...(uncalculated > 0 && { uncalculated }) },
      ...(hiddenColumns.length > 0 && { hiddenColumns }),
      ...(formats.numbers.length > 0 && { formats: formats.numbers }),
      ...(formats.texts.length > 0 && { textFormats: formats.texts }),
      ...(formats.others.length > 0 && { otherFormats: formats.others }),
    });
    if (count === 1) return described;
    const facts = {
      ...{ ...described.facts, otherSheets: count - 1, ...originalIn(book, each) },
      ...(unread > 0 && { unreadSheets: unread }),
    };
    return { ...described, facts };
  });
  return { tables, chosen };
}

function originalIn(
  book: Book | WhyAlone,
  { index, table: { columns, runs } }: Sheet,
): Pick<ListFacts, 'original' | 'alone'> {
  const original = typeof book === 'string' ? book : originalOf(book, index, { columns, runs });
  return typeof original === 'string' ? { alone: original } : { original };
}

type About = Pick<ListFacts, 'encoding' | 'encodings' | 'form' | 'sheet' | 'isHidden' | 'hiddenColumns'> &
  Pick<ListFacts, 'uncalculated' | 'formats' | 'textFormats' | 'otherFormats'>;

function describe(table: Table, about: About): ReadTable {
  const { columns, hidden, joined, longest, numbers, rows, values } = table;
  const { addressColumn, titles } = profileOf(table, new Set(about.hiddenColumns));
  if (rows.length > MAX_ROWS && titles === null) throw new ListFault(TOO_MANY_ROWS);
  const header = titles === null ? null : table.head(titles + 1)[titles]!;
  const addresses = Array.from({ length: columns }, (_, column) => table.addresses[column] ?? 0);
  const isOther = numbers.some((number, index) => number !== index + 1);
  const facts: ListFacts = {
    ...{ ...about, columns, rows: rows.length, titles, header, addressColumn, addresses, longest },
    ...(isOther && { numbers: numbers.slice(0, NUMBERED_ROWS) }),
    ...(joined > 0 && { joined }),
    ...(hidden.length > 0 && { hiddenRows: hidden.length }),
  };
  return { facts, rows, numbers: values, fileRows: isOther ? numbers : [], hidden };
}

/** `.csv` and `.tsv` files are tables. The content of other texts decides how they are read. */
function readText(text: string, fileName: string | undefined): TextList {
  if (fileName !== undefined && /\.csv$/i.test(fileName)) return readTable(text);
  if (fileName !== undefined && /\.(tsv|tab)$/i.test(fileName)) return readTable(text, '\t');
  return readAnyText(text);
}
