/** How much of a workbook is held at once. The library holds all cells of the sheets that it reads in one call. */
import { expect, it, vi } from 'vitest';
import { readList } from '../../../../src/service/lists/reading/read-list.ts';
import { groupsOf } from '../../../../src/service/lists/reading/workbook.ts';
import { workbook } from '../../support/workbook.ts';

const MIB = 1024 * 1024;

/** The bytes of sheets that the library took in each call. */
const taken = vi.hoisted((): number[] => []);

vi.mock('@e965/xlsx', async (importOriginal) => {
  const library = await importOriginal<Record<string, unknown>>();
  const parse = library.parse_zip as (zip: object, options: object) => unknown;
  return {
    ...library,
    parse_zip({ files }: { files: Record<string, { asNodeBuffer(): Buffer }> }, options: object) {
      let bytes = 0;
      const counted = Object.entries(files).map(([name, { asNodeBuffer }]) => {
        const count = () => {
          const part = asNodeBuffer();
          if (name.startsWith('xl/worksheets/')) bytes += part.length;
          return part;
        };
        return [name, { name, asNodeBuffer: count }];
      });
      const book = parse({ files: Object.fromEntries(counted) }, options);
      taken.push(bytes);
      return book;
    },
  };
});

const sheet = (name: string, padding: number) =>
  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${name}@example.com</t></is></c></row></sheetData>${' '.repeat(padding)}</worksheet>`;

it('holds one large sheet at a time, and all sheets of a small workbook', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const sheetsOf = async (padding: number) => {
    const book = await workbook(Object.fromEntries(names.map((name) => [name, sheet(name, padding)])));
    const { tables } = await readList(book, { fileName: 'list.xlsx' });
    return tables.map(({ facts, rows }) => [facts.sheet, ...rows]);
  };
  const all = names.map((name) => [name, `["${name}@example.com"]`]);
  expect(await sheetsOf(20 * MIB)).toEqual(all);
  expect(taken).toHaveLength(4);
  expect(Math.max(...taken)).toBeLessThan(21 * MIB);
  taken.length = 0;
  expect(await sheetsOf(0)).toEqual(all);
  expect(taken).toHaveLength(1);
});

it.each([
  ['small sheets', [1, 2, 3], [undefined]],
  ['a large sheet first', [40, 1, 2], [[0], [1, 2]]],
  ['a large sheet last', [1, 40], [[0], [1]]],
  ['as many as fit', [16, 16, 1], [[0, 1], [2]]],
  ['sheets that are not there', [0, 0], [undefined]],
  ['no sheet', [], [undefined]],
])('reads together: %s', (_, sizes, groups) => {
  expect(groupsOf(sizes.map((size) => size * MIB))).toEqual(groups);
});

it('reads all together if their sizes are not known', () => {
  expect(groupsOf(undefined)).toEqual([undefined]);
});

it('reads the texts that sheets share ten times at most, however many sheets there are', () => {
  const sizes = Array.from({ length: 2_000 }, (_, index) => (index % 200 === 0 ? 15 : 0.005) * MIB);
  const groups = groupsOf(sizes);
  expect(groups.length).toBeLessThanOrEqual(10);
  expect(groups.flat()).toHaveLength(2_000);
});
