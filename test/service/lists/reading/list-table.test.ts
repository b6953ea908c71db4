import { expect, it } from 'vitest';
import {
  MAX_COLUMNS,
  MAX_ROW_LENGTH,
  MAX_ROWS,
  MAX_ROWS_CHARACTERS,
} from '../../../../src/service/lists/reading/list-limits.ts';
import { Table } from '../../../../src/service/lists/reading/list-table.ts';

it('refuses rows that are too large together, even if their cells share one text', () => {
  const table = new Table();
  const row = Array<string>(MAX_COLUMNS).fill('x'.repeat(MAX_ROW_LENGTH / MAX_COLUMNS));
  const size = JSON.stringify(row).length;
  for (let rows = 1; rows * size <= MAX_ROWS_CHARACTERS; rows += 1) table.add(row, { number: rows });
  const message = 'Expected at most 167,772,160 characters in all rows, got more.';
  expect(() => table.add(row, { number: 1 })).toThrow(message);
});

it('takes a million rows below a row that may have titles, and no more', () => {
  const table = new Table();
  for (let row = 0; row <= MAX_ROWS; row += 1) table.add(['x'], { number: row + 1 });
  expect(table.rows).toHaveLength(1_000_001);
  const message = 'Expected at most 1,000,000 rows, got more. Split the file.';
  expect(() => table.add(['x'], { number: 1 })).toThrow(message);
});
