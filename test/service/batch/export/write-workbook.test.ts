/** Workbooks of results that every spreadsheet opens. */
import { read } from '@e965/xlsx';
import { expect, it } from 'vitest';
import { writeWorkbook } from '../../../../src/service/batch/export/write-workbook.ts';

async function* steps() {
  yield [['email'], ['a@example.com']];
}

it.each([
  ['Kunden', 'Kunden'],
  // ODS files may have these.
  ['Kundinnen und Kunden im Jahr 2024', 'Kundinnen und Kunden im Jahr 202'.slice(0, 31)],
  ['2024/25: a?[b]*\\', '2024_25_ a__b___'],
  ["'quoted'", 'quoted'],
  [`${'x'.repeat(30)}😀`, 'x'.repeat(30)],
  ['a\0b', 'ab'],
  ["' '", 'Results'],
  [undefined, 'Results'],
])('gives a sheet of the name %j one that XLSX can have', async (name, written) => {
  const parts: Uint8Array[] = [];
  for await (const part of writeWorkbook(steps(), name)) parts.push(part);
  expect(read(Buffer.concat(parts), { type: 'buffer' }).SheetNames).toEqual([written]);
});
