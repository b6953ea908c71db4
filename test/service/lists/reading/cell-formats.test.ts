/** The values of cells as they are stored, each with its format. */
import { expect, it } from 'vitest';
import { sheetFormats } from '../../../../src/service/lists/reading/cell-formats.ts';

const number = (v: number, z = 'General') => ({ t: 'n', v, z }) as const;
const text = (v: string, z = 'General') => ({ t: 's', v, z }) as const;

it('stores a format once for a column that has one', () => {
  const data = [
    [text('Since'), text('Zip')],
    [number(1, 'd.m.yy'), text('01067', '@')],
    [undefined, text('1', '@')],
  ];
  const formats = sheetFormats(data, false);
  expect(formats.stored(data[1]![0]!, 0)).toBe(1);
  expect(formats.stored(data[1]![1]!, 1)).toBeNull();
  expect([formats.numbers, formats.texts, formats.others]).toEqual([['d.m.yy'], [null, '@'], []]);
  // The title is the only text without the format of its column.
  expect(formats.stored(data[0]![1]!, 1)).toEqual([null, 0]);
  expect(formats.others).toEqual(['General']);
});

it('stores a number without its value if its format cannot be kept, because a date would be a number', () => {
  const many = Array.from({ length: 400 }, (_, index) => [number(45_292, `d"${index}"`)]);
  const formats = sheetFormats([...many, [number(1, 'x'.repeat(256))]], false);
  const stored = many.map(([cell]) => formats.stored(cell!, 0));
  expect(stored.filter((value) => value !== null)).toHaveLength(formats.others.length);
  expect(formats.others.length).toBeLessThan(400);
  expect(stored.at(-1)).toBeNull();
  expect(formats.stored(number(1, 'x'.repeat(256)), 0)).toBeNull();
});
