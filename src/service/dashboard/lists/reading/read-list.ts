/** Reads a list: bytes to rows, and what the rows are. */
import { decode } from './decode.ts';
import { ListFault } from './fault.ts';
import { kindOf } from './kind.ts';
import { profileOf } from './profile.ts';
import type { Table } from './table.ts';
import { readAnyText, readTable } from './text.ts';
import { readFirstSheet } from './workbook.ts';

/** Where a list comes from. */
export interface Source {
  /** The name of the file. Absent for a text that was pasted. */
  readonly fileName?: string | undefined;
}

/** What the reader says about the list, besides its rows. */
export interface ListFacts {
  /** The encoding of a text, or the name of the sheet. */
  readonly encoding?: string;
  readonly sheet?: string;
  readonly columns: number;
  /** All rows, the first one included. */
  readonly rows: number;
  readonly first: readonly string[];
  readonly hasHeader: boolean;
  readonly addressColumn: number;
  /** How many cells of each column give an address. */
  readonly addresses: readonly number[];
}

export interface ReadList {
  readonly facts: ListFacts;
  /** Each row as JSON: an array of texts. */
  readonly rows: readonly string[];
}

/** @throws {ListFault} if there is no list in it */
export async function readList(bytes: Buffer, source: Source): Promise<ReadList> {
  const { table, ...about } = await readAs(bytes, source);
  if (table.rows.length === 0) throw new ListFault('Expected a list, got a file without any text.');
  if (!table.addresses.some((count) => count > 0)) {
    throw new ListFault(
      'Expected email addresses in at least one column, found none. Check that you have chosen the right file.',
    );
  }
  const { columns, first, addresses } = table;
  const facts = { ...about, columns, rows: table.rows.length, first, addresses, ...profileOf(table) };
  return { facts, rows: table.rows };
}

type Read = Pick<ListFacts, 'encoding' | 'sheet'> & { readonly table: Table };

async function readAs(bytes: Buffer, { fileName }: Source): Promise<Read> {
  if (kindOf(bytes) === 'workbook') return readFirstSheet(bytes);
  const { text, encoding } = decode(bytes);
  return { table: readText(text, fileName), encoding };
}

/** The name tells how a text is meant. What it holds decides for the others. */
function readText(text: string, fileName: string | undefined): Table {
  if (fileName !== undefined && /\.csv$/i.test(fileName)) return readTable(text);
  if (fileName !== undefined && /\.(tsv|tab)$/i.test(fileName)) return readTable(text, '\t');
  return readAnyText(text);
}
