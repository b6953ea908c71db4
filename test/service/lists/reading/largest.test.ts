/** The largest files that are read, and those that are a little larger. */
import { expect, it } from 'vitest';
import { readList } from '../../../../src/service/lists/reading/read-list.ts';
import { workbook } from '../../support/workbook.ts';

async function readFile(content: string | Buffer, fileName: string) {
  const { tables, chosen } = await readList(Buffer.from(content), { fileName });
  return tables[chosen]!;
}
const readCsv = (content: string) => readFile(content, 'list.csv');

it('reads as many rows as promised below a row of titles', async () => {
  const rows = 'a@example.com\n'.repeat(1_000_000);
  expect((await readCsv(`Email\n${rows}`)).facts).toMatchObject({ rows: 1_000_001, titles: 0 });
  const message = 'Expected at most 1,000,000 rows, got more. Split the file.';
  await expect(readCsv(`${rows}a@example.com`)).rejects.toThrow(message);
});

it('reads a long line of many addresses', async () => {
  const text = Array.from({ length: 100_000 }, (_, index) => `u${index}@example.com`).join(', ');
  expect((await readFile(text, 'list.txt')).facts.rows).toBe(100_000);
});

it('refuses a workbook that is much larger inside', async () => {
  const more = { 'xl/extra.xml': Buffer.alloc(170 * 1024 * 1024) };
  const bomb = await workbook({ One: [['ada@example.com']] }, more);
  expect(bomb.length).toBeLessThan(1024 * 1024);
  await expect(readFile(bomb, 'list.xlsx')).rejects.toThrow('at most 160 MiB when it is unpacked');
});
