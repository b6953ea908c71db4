/** Reads a list: turns its bytes into rows, and describes the rows. */

import { counted } from '../../core/format.ts';
import { profileOf } from './column-profile.ts';
import { decode } from './decode-text.ts';
import { kindOf } from './file-kind.ts';
import { EMPTY, ListFault } from './list-fault.ts';
import { MAX_ROWS } from './list-limits.ts';
import { type Table, TOO_MANY_ROWS } from './list-table.ts';
import { readAnyText, readTable } from './text-list.ts';
import { readSheet } from './workbook.ts';

/** The origin of a list. */
export interface Source {
  /** The name of the file. Absent for a text that was pasted. */
  readonly fileName?: string | undefined;
}

/** Facts about the list, in addition to its rows. */
export interface ListFacts {
  /** The encoding of a text. */
  readonly encoding?: string;
  readonly sheet?: string;
  readonly columns: number;
  /** All rows, the first one included. */
  readonly rows: number;
  readonly first: readonly string[];
  readonly hasHeader: boolean;
  readonly addressColumn: number;
  /** How many cells of each column have an address. */
  readonly addresses: readonly number[];
  /** How many characters the longest cell of each column has. */
  readonly longest: readonly number[];
}

export interface ReadList {
  readonly facts: ListFacts;
  /** Each row as a JSON array of strings. */
  readonly rows: readonly string[];
}

/** @throws {ListFault} if the bytes hold no list */
export async function readList(bytes: Buffer, source: Source): Promise<ReadList> {
  const { table, ...about } = await readAs(bytes, source);
  if (table.rows.length === 0) throw new ListFault(EMPTY);
  if (!table.hasAddresses) throw new ListFault(noneIn(table, about.encoding, source));
  const { columns, first, addresses, longest } = table;
  const profile = profileOf(table);
  if (table.rows.length > MAX_ROWS && !profile.hasHeader) throw new ListFault(TOO_MANY_ROWS);
  const facts = { ...about, columns, rows: table.rows.length, first, addresses, longest, ...profile };
  return { facts, rows: table.rows };
}

function noneIn({ rows, columns }: Table, encoding: string | undefined, { fileName }: Source): string {
  const [place, how] = fileName === undefined ? ['this text', ''] : ['this file', `, as ${encoding}`];
  return `We found no email address in ${place}, so it was not stored. We read ${counted(rows.length, 'row')} with ${counted(columns, 'column')}${how}.`;
}

type Read = Pick<ListFacts, 'encoding' | 'sheet'> & { readonly table: Table };

async function readAs(bytes: Buffer, { fileName }: Source): Promise<Read> {
  if (kindOf(bytes) === 'workbook') return readSheet(bytes);
  const { text, encoding } = decode(bytes);
  return { table: readText(text, fileName), encoding };
}

/** `.csv` and `.tsv` files are tables. The content of other texts decides how they are read. */
function readText(text: string, fileName: string | undefined): Table {
  if (fileName !== undefined && /\.csv$/i.test(fileName)) return readTable(text);
  if (fileName !== undefined && /\.(tsv|tab)$/i.test(fileName)) return readTable(text, '\t');
  return readAnyText(text);
}
