import { expect, it } from 'vitest';
import {
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_ROWS_CHARACTERS,
} from '../../../../src/service/lists/reading/list-limits.ts';
import { Table } from '../../../../src/service/lists/reading/list-table.ts';

it('refuses rows that are too large together, even if their cells share one text', () => {
  const table = new Table();
  const row = Array<string>(MAX_COLUMNS).fill('x'.repeat(MAX_CELL_LENGTH));
  const size = JSON.stringify(row).length;
  for (let rows = 1; rows * size <= MAX_ROWS_CHARACTERS; rows += 1) table.add(row);
  expect(() => table.add(row)).toThrow('Expected at most 167,772,160 characters in all rows, got more.');
});
