/** Reads a workbook (XLSX, ODS or XLS): each sheet that has an address, as a spreadsheet shows it. */
// SheetJS as it is today, which npm has under this name only. It alone reads all three kinds, chart sheets and what is
// hidden. Of the formats of dates, it fails on `dd.mm.yyyy`, which numfmt shows.

import type { CellObject, ParsingOptions, WorkBook, WorkSheet } from '@e965/xlsx';
import * as library from '@e965/xlsx';
import { cleanName } from '../list-name.ts';
import { type Book, readBook, sizesOfSheets, type WhyAlone } from '../workbook/original.ts';
import { withLink } from './address-in.ts';
import { type SheetFormats, type StoredValue, sheetFormats } from './cell-formats.ts';
import { shownText } from './cell-text.ts';
import { isCompound } from './file-kind.ts';
import { ListFault } from './list-fault.ts';
import { MAX_COLUMNS, MOST_SHEETS } from './list-limits.ts';
import { type Room, Table } from './list-table.ts';
import { otherKind, type Unpacked, unpackAll } from './unpack-zip.ts';

export interface Sheet {
  readonly table: Table;
  /** Its place in the workbook, from 0. */
  readonly index: number;
  /** The name of the sheet. A file can give it any length. */
  readonly sheet: string;
  readonly isHidden: boolean;
  /** Whether it was in front when the file was saved. */
  readonly isActive: boolean;
  /** The columns that the sheet hides. */
  readonly hiddenColumns: readonly number[];
  readonly formats: Pick<SheetFormats, 'numbers' | 'texts' | 'others'>;
}

/** The sheets of a workbook that have addresses. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** How many cells of all sheets have a formula without a value. */
  readonly uncalculated: number;
  /** How many sheets the file has, with those that have no address. */
  readonly count: number;
  /** How many sheets were not read, because enough others have addresses. */
  readonly unread: number;
  /** What downloads with all sheets need, or why there can be none. */
  readonly book: Book | WhyAlone;
}

/** @throws {ListFault} if no sheet has an address, or if the library cannot read the file */
export async function readSheets(bytes: Buffer): Promise<Workbook> {
  const packed = isCompound(bytes) ? undefined : await unpackAll(bytes);
  if (packed && isOds(packed)) refuseEndless(packed.read('content.xml'));
  const room: Room = { characters: 0 };
  const found: Sheet[] = [];
  const looked: string[] = [];
  let count = 0;
  let unread = 0;
  let front = -1;
  for (const sheets of packed && !isOds(packed) ? groupsOf(sizesOfSheets(packed)) : [undefined]) {
    const isEnough = () => found.length >= MOST_SHEETS;
    if (sheets && isEnough() && !sheets.includes(front)) {
      unread += sheets.length;
      continue;
    }
    const book = openWorkbook(packed ?? bytes, sheets);
    const { names, active, is1904 } = aboutBook(book);
    count = names.length;
    front = active;
    for (const [index, { name, isHidden }] of names.entries()) {
      const sheet = book.Sheets[name];
      // A chart is a sheet without cells.
      if (!sheet?.['!data']) continue;
      if (isEnough() && index !== active) {
        unread += 1;
        continue;
      }
      const { table, ...about } = readSheet(sheet, is1904, room);
      // The library keeps a second copy.
      delete book.Sheets[name];
      const cleaned = cleanName(name, 'without a name');
      if (table.hasAddresses)
        found.push({ ...about, table, index, sheet: cleaned, isHidden, isActive: index === active });
      else {
        room.characters -= table.characters;
        if (table.rows.length > 0) looked.push(`“${cleaned}”${isHidden ? ' (hidden)' : ''}`);
      }
    }
  }
  const uncalculated = countUncalculated(packed ? [...packed.files.values()] : [bytes]);
  if (found.length > 0) {
    const original = packed && !isOds(packed) ? readBook(packed) : 'kind';
    return { sheets: found, uncalculated, count, unread, book: original };
  }
  if (uncalculated > 0) throw new ListFault(notCalculated(uncalculated));
  if (looked.length === 0)
    throw new ListFault('This workbook is empty, so it was not stored. Choose another file.');
  throw new ListFault(
    `We found no email address in this file, so it was not stored. We looked through ${sheetsOf(looked)}.`,
  );
}

/** The library takes three times as much memory for a sheet, and holds all that it reads at once. */
const MOST_AT_ONCE = 32 * 1024 * 1024;

/**
 * Which sheets are read at once. The texts that sheets share are read again for each group, so small ones are together.
 *
 * @param sizes undefined if they are not known
 * @returns undefined in the place of all sheets
 */
export function groupsOf(sizes: readonly number[] | undefined): readonly (readonly number[] | undefined)[] {
  if (!sizes) return [undefined];
  const groups: number[][] = [];
  let left = 0;
  for (const [index, size] of sizes.entries()) {
    if (size > left || groups.length === 0) {
      groups.push([]);
      left = MOST_AT_ONCE;
    }
    groups.at(-1)!.push(index);
    left -= size;
  }
  return groups.length > 1 ? groups : [undefined];
}

/** A spreadsheet stores the value of each formula after it. Programs leave it out, or leave it empty. */
const WITHOUT_VALUE = /^f>\s*(<(?:\w+:)?v\s*(?:\/>|><\/(?:\w+:)?v>)\s*)?<\/(?:\w+:)?c>/;

function countUncalculated(parts: readonly Buffer[]): number {
  let count = 0;
  for (const part of parts)
    for (let at = part.indexOf('f>'); at >= 0; at = part.indexOf('f>', at + 1)) {
      const after = WITHOUT_VALUE.exec(part.toString('latin1', at, at + 60));
      if (after && !(after[1] !== undefined && isText(part, at))) count += 1;
    }
  return count;
}

/** Whether the cell whose formula ends here says that its value is a text, which may be an empty one. */
function isText(part: Buffer, at: number): boolean {
  const formula = part.lastIndexOf('<', part.lastIndexOf('<', at) - 1);
  return part.toString('latin1', part.lastIndexOf('<', formula - 1), formula).includes(' t="str"');
}

const notCalculated = (count: number) =>
  `We found no email address in this file, so it was not stored. ${count === 1 ? '1 cell has a formula' : `${count} cells have formulas`} without a value: a program has written the file, and no spreadsheet has calculated it. Open it in a spreadsheet, save it, and upload it again.`;

const MOST_NAMED = 10;

function sheetsOf(names: readonly string[]): string {
  if (names.length === 1) return `the sheet ${names[0]}`;
  const more = names.length - MOST_NAMED;
  return `the sheets ${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * @param sheets which are read. Undefined for all
 * @throws {ListFault} for whatever the library throws, which may be a text
 */
function openWorkbook(file: Unpacked | Buffer, sheets: readonly number[] | undefined): WorkBook {
  const options: ParsingOptions = {
    ...{ type: 'buffer', dense: true, cellHTML: false, cellNF: true },
    // The texts of formulas are of no use.
    cellFormula: false,
    // Only ODS has the text that was shown. Of others, numfmt makes it.
    cellText: !Buffer.isBuffer(file) && isOds(file),
    // What is hidden. Without fills, which every spreadsheet writes, the library throws for each cell and is slow.
    cellStyles: hasFills(file),
    ...(sheets && { sheets: [...sheets] }),
  };
  try {
    const book = Buffer.isBuffer(file) ? library.read(file, options) : parseZip(zipOf(file), options);
    if (book.SheetNames.length > 0) return book;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const said = error instanceof Error ? error.message : String(error);
    if (/unsupported zip|could not find workbook|not a spreadsheet/i.test(said))
      throw otherKind('a file of another kind', error);
    throw new ListFault(DAMAGED, { cause: error });
  }
  throw new ListFault(DAMAGED);
}

/** A ZIP file as the library wants it, which its types leave out. */
interface LibraryZip {
  readonly files: Readonly<Record<string, { readonly name: string; asNodeBuffer(): Buffer }>>;
}
const { parse_zip: parseZip } = library as unknown as {
  parse_zip(zip: LibraryZip, options: ParsingOptions): WorkBook;
};

const zipOf = ({ files }: Unpacked): LibraryZip => ({
  files: Object.fromEntries([...files].map(([name, part]) => [name, { name, asNodeBuffer: () => part }])),
});

const isOds = ({ read }: Unpacked) => read('META-INF/manifest.xml') !== undefined;

const hasFills = (file: Unpacked | Buffer) =>
  Buffer.isBuffer(file) || isOds(file) || [...file.files.values()].some((part) => part.includes('fill>'));

const DAMAGED =
  'The workbook is damaged and could not be read. Open it in a spreadsheet, save it as XLSX or CSV, and upload that.';

/** What the library knows and its types do not say. */
interface Unlisted {
  readonly WBView?: readonly { readonly activeTab?: number }[];
}

function aboutBook({ SheetNames, Workbook }: WorkBook) {
  const views = (Workbook as Unlisted | undefined)?.WBView;
  return {
    names: SheetNames.map((name, index) => ({
      name,
      isHidden: (Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0,
    })),
    active: Number(views?.[0]?.activeTab ?? 0),
    is1904: Workbook?.WBProps?.date1904 === true,
  };
}

type Read = Pick<Sheet, 'table' | 'hiddenColumns' | 'formats'>;

function readSheet(sheet: WorkSheet, is1904: boolean, room: Room): Read {
  const table = new Table(room);
  const data = sheet['!data'] as readonly (readonly (CellObject | undefined)[] | undefined)[];
  const rows = sheet['!rows'] ?? [];
  if (data.length > LAST_ROW) throw new ListFault(DAMAGED);
  const formats = sheetFormats(data, is1904);
  // A sheet may have a cell in its last row and nothing before it: `forEach` skips what is not there.
  data.forEach((cells, index) => {
    if (!cells) return;
    if (cells.length > LAST_COLUMN) throw new ListFault(DAMAGED);
    const texts: string[] = [];
    const values: StoredValue[] = [];
    cells.forEach((cell, column) => {
      if (!cell) return;
      // Only the text of a cell that is too far out counts, so that the refusal names it.
      while (texts.length < Math.min(column, MAX_COLUMNS)) texts.push('');
      const value = formats.stored(cell, column);
      if (value !== null) {
        while (values.length < texts.length) values.push(null);
        values.push(value);
      }
      const text = shownText(cell, is1904);
      texts.push(cell.l?.Target === undefined ? text : withLink(text, cell.l.Target));
    });
    table.add(texts, {
      ...{ number: index + 1, isHidden: rows[index]?.hidden === true },
      ...(values.length > 0 && { values }),
    });
  });
  const hiddenColumns = (sheet['!cols'] ?? []).flatMap((column, index) => (column?.hidden ? [index] : []));
  return { table, hiddenColumns: hiddenColumns.filter((column) => column < table.columns), formats };
}

/** What a sheet can have at most (ECMA-376, part 1, section 18.3.1.73). A file that names more is not of a spreadsheet. */
const LAST_ROW = 1_048_576;
const LAST_COLUMN = 16_384;

/** How often ODS repeats a cell or a row. The library makes all of them. */
const REPEATED = '-repeated="';

/** @throws {ListFault} if a cell or a row is repeated more often than any sheet has rows */
function refuseEndless(content: Buffer = Buffer.alloc(0)): void {
  for (let at = content.indexOf(REPEATED); at >= 0; at = content.indexOf(REPEATED, at + 1)) {
    const from = at + REPEATED.length;
    if (Number.parseInt(content.toString('latin1', from, from + 20), 10) > LAST_ROW)
      throw new ListFault(DAMAGED);
  }
}
