/** The rows of a list while it is read. It counts what the review needs, and checks the limits. */

import { figure } from '../../core/format.ts';
import type { RowRun } from '../workbook/original.ts';
import { hasAddress } from './address-in.ts';
import type { StoredValue } from './cell-formats.ts';
import { ListFault } from './list-fault.ts';
import {
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_ROW_LENGTH,
  MAX_ROWS,
  MAX_ROWS_CHARACTERS,
} from './list-limits.ts';
import { addressesIn } from './several-addresses.ts';

export const TOO_MANY_ROWS = `Expected at most ${figure(MAX_ROWS)} rows, got more. Split the file.`;

const TOO_LARGE = `Expected at most ${figure(MAX_ROWS_CHARACTERS)} characters in all rows, got more. Remove columns that you do not need, or split the file.`;

/** How many of the first rows can have the titles of the columns. */
export const NUMBERED_ROWS = 50;

/** What all tables of a file have together. */
export interface Room {
  characters: number;
}

/** Where a row was in its file. */
export interface RowOrigin {
  /** The number of the row, from 1. A line of a plain list can have several rows. */
  readonly number: number;
  /** Whether the spreadsheet hides it. */
  readonly isHidden?: boolean;
  /** The values of its cells, by column. */
  readonly values?: readonly StoredValue[];
}

/** Drops empty cells at the end of a row, and empty rows. */
export class Table {
  /** Each row as JSON, which takes a third of the memory of its cells. */
  readonly rows: string[] = [];
  /** The values of each row as JSON, or empty without any. */
  readonly values: string[] = [];
  /** The places of hidden rows, in their order. */
  readonly hidden: number[] = [];
  /** The numbers of the rows in the file, from 1. */
  readonly numbers: number[] = [];
  columns = 0;
  /** How many cells have several addresses. */
  joined = 0;
  /** The length of all rows as JSON. */
  characters = 0;
  /** How many cells of each column have an address. */
  readonly addresses: number[] = [];
  /** The length of the longest cell of each column. */
  readonly longest: number[] = [];

  constructor(private readonly room: Room = { characters: 0 }) {}

  /** @throws {ListFault} if the list exceeds a limit */
  add(cells: readonly string[], { number: row, isHidden = false, values }: RowOrigin): void {
    const length = lengthOf(cells);
    if (length === 0) return;
    // One row may have the titles.
    if (this.rows.length > MAX_ROWS) throw new ListFault(TOO_MANY_ROWS);
    if (length > MAX_COLUMNS)
      throw new ListFault(
        `Expected at most ${MAX_COLUMNS} columns, got ${figure(length)} in row ${figure(row)}. Remove columns that you do not need.`,
      );
    const kept = cells.slice(0, length);
    for (const [column, cell] of kept.entries()) this.count(cell, row, column);
    const rowLength = kept.reduce((sum, cell) => sum + cell.length, 0);
    if (rowLength > MAX_ROW_LENGTH)
      throw new ListFault(
        `Expected at most ${figure(MAX_ROW_LENGTH)} characters in a row, got ${figure(rowLength)} in row ${figure(row)}. Remove columns that you do not need.`,
      );
    if (isHidden) this.hidden.push(this.rows.length);
    this.numbers.push(row);
    this.columns = Math.max(this.columns, length);
    const json = JSON.stringify(kept);
    if (values) {
      while (this.values.length < this.rows.length) this.values.push('null');
      this.values.push(JSON.stringify(values));
    } else if (this.values.length > 0) this.values.push('null');
    const size = json.length + (values ? this.values.at(-1)!.length : 0);
    this.characters += size;
    this.room.characters += size;
    if (this.room.characters > MAX_ROWS_CHARACTERS) throw new ListFault(TOO_LARGE);
    this.rows.push(json);
  }

  /** Where the rows are in the file. */
  get runs(): RowRun[] {
    const isNext = (number: number, place: number) => number === this.numbers[place - 1]! + 1;
    return this.numbers.flatMap((number, place) => (isNext(number, place) ? [] : [[place, number] as const]));
  }

  get hasAddresses(): boolean {
    return this.addresses.some((count) => count > 0);
  }

  /** The cells of the first rows. */
  head(count: number): (readonly string[])[] {
    return this.rows.slice(0, count).map((row) => JSON.parse(row) as readonly string[]);
  }

  private count(cell: string, row: number, column: number): void {
    if (cell.length > MAX_CELL_LENGTH)
      throw new ListFault(
        `Expected at most ${figure(MAX_CELL_LENGTH)} characters in a cell, got ${figure(cell.length)} in row ${figure(row)}. A quotation mark that is not closed can cause this.`,
      );
    const isAddress = hasAddress(cell);
    this.addresses[column] = (this.addresses[column] ?? 0) + (isAddress ? 1 : 0);
    if (!isAddress && addressesIn(cell).length > 0) this.joined += 1;
    this.longest[column] = Math.max(this.longest[column] ?? 0, cell.length);
  }
}

/** A byte of 0 at the end of a file is not a row. */
const EMPTY_CELL = /^[\s\0]*$/;

/** Without the empty cells at the end, which spreadsheets write for columns that were used once. */
function lengthOf(cells: readonly string[]): number {
  let length = cells.length;
  while (length > 0 && EMPTY_CELL.test(cells[length - 1]!)) length -= 1;
  return length;
}
