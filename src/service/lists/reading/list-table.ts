/** The rows of a list while it is read. It counts what the review needs, and checks the limits. */

import { figure } from '../../core/format.ts';
import { hasAddress } from './address-in.ts';
import { ListFault } from './list-fault.ts';
import {
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_ROW_LENGTH,
  MAX_ROWS,
  MAX_ROWS_CHARACTERS,
} from './list-limits.ts';

export const TOO_MANY_ROWS = `Expected at most ${figure(MAX_ROWS)} rows, got more. Split the file.`;

const TOO_LARGE = `Expected at most ${figure(MAX_ROWS_CHARACTERS)} characters in all rows, got more. Remove columns that you do not need, or split the file.`;

/** Drops empty cells at the end of a row, and empty rows. */
export class Table {
  /** Each row as JSON, which takes a third of the memory of its cells. */
  readonly rows: string[] = [];
  /** The cells of the first row. */
  first: readonly string[] = [];
  columns = 0;
  private characters = 0;
  /** How many cells of each column have an address. */
  readonly addresses: number[] = [];
  /** The length of the longest cell of each column. */
  readonly longest: number[] = [];

  /** @throws {ListFault} if the list exceeds a limit */
  add(cells: readonly string[]): void {
    const length = lengthOf(cells);
    if (length === 0) return;
    // The first row may have the titles.
    if (this.rows.length > MAX_ROWS) throw new ListFault(TOO_MANY_ROWS);
    const row = this.rows.length + 1;
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
    if (row === 1) this.first = kept;
    this.columns = Math.max(this.columns, length);
    const json = JSON.stringify(kept);
    this.characters += json.length;
    if (this.characters > MAX_ROWS_CHARACTERS) throw new ListFault(TOO_LARGE);
    this.rows.push(json);
  }

  get hasAddresses(): boolean {
    return this.addresses.some((count) => count > 0);
  }

  private count(cell: string, row: number, column: number): void {
    if (cell.length > MAX_CELL_LENGTH)
      throw new ListFault(
        `Expected at most ${figure(MAX_CELL_LENGTH)} characters in a cell, got ${figure(cell.length)} in row ${figure(row)}. A quotation mark that is not closed can cause this.`,
      );
    this.addresses[column] = (this.addresses[column] ?? 0) + (hasAddress(cell) ? 1 : 0);
    this.longest[column] = Math.max(this.longest[column] ?? 0, cell.length);
  }
}

/** Without the empty cells at the end, which spreadsheets write for columns that were used once. */
function lengthOf(cells: readonly string[]): number {
  let length = cells.length;
  while (length > 0 && cells[length - 1]!.trim() === '') length -= 1;
  return length;
}
