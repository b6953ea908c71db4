import type { CellObject } from '@e965/xlsx';
import { expect, it } from 'vitest';
import { numberOf } from '../../../../src/service/lists/reading/cell-number.ts';
import { shownText } from '../../../../src/service/lists/reading/cell-text.ts';

const number = (v: number, z?: string): CellObject => ({ t: 'n', v, ...(z !== undefined && { z }) });

it.each([
  ['a postcode', number(1067, '00000'), '01067'],
  ['a telephone number', number(4915112345678), '4915112345678'],
  ['a plus sign of the format', number(4915112345678, '\\+0'), '+4915112345678'],
  ['a share', number(0.125, '0.0%'), '12.5%'],
  ['a rounded price', number(1234.567, '#,##0.00'), '1,234.57'],
  ['a date', number(45292, 'dd.mm.yyyy'), '01.01.2024'],
  ['a date in words', number(45292, '[$-407]d. mmmm yyyy'), '1. Januar 2024'],
  ['a date in the format of the computer', number(45292, 'm/d/yy'), '2024-01-01'],
  ['a time in it', number(0.75, 'm/d/yy h:mm'), '18:00:00'],
  ['a fraction of two', number(0.1 + 0.2, 'General'), '0.3'],
  ['a format that nobody can read', number(7, 'bad [['), '7'],
  ['an accounting format', number(5, '_-* #,##0.00\\ "€"_-'), '5.00 €'],
  ['a truth', { t: 'b', v: true }, 'TRUE'],
  ['an error', { t: 'e', v: 42 }, '#N/A'],
  ['a formula without a value', { t: 'z', f: 'A1', v: 0 }, ''],
] as [string, CellObject, string][])('shows %s as a spreadsheet does', (_what, cell, text) => {
  expect(shownText(cell, false)).toBe(text);
});

it('counts the days of an old Macintosh from 1904, in text and in value', () => {
  const date = number(43830, 'dd.mm.yyyy');
  expect([shownText(date, true), numberOf(date, true)]).toEqual(['01.01.2024', 45292]);
  const price = number(5, '0.00');
  expect([shownText(price, true), numberOf(price, true)]).toEqual(['5.00', 5]);
});
