import { expect, it } from 'vitest';
import { columnLetters } from '../../../src/service/lists/column-letters.ts';

it.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [51, 'AZ'],
  [52, 'BA'],
  [701, 'ZZ'],
  [702, 'AAA'],
])('calls column %i %s, as spreadsheets do', (column, letters) => {
  expect(columnLetters(column)).toBe(letters);
});
