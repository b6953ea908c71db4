/** Numbers of a sheet that are too long to be numbers. */
import { expect, it } from 'vitest';
import { keepLongNumbers } from '../../../../src/service/lists/reading/long-numbers.ts';

const kept = (sheet: string) => keepLongNumbers(Buffer.from(sheet)).toString();

it.each([
  [
    'without a type',
    '<c r="A1"><v>1234567890123456</v></c>',
    '<c r="A1" t="str"><v>1234567890123456</v></c>',
  ],
  [
    'of the type of numbers',
    '<c r="A1" t="n" s="2"><v>12345678901234567890</v></c>',
    '<c r="A1" t="str" s="2"><v>12345678901234567890</v></c>',
  ],
  [
    'of a formula, beside other cells',
    '<c r="A1"><v>1</v></c><c r="B1"><f>A1</f><v>9999999999999999</v></c><c r="C1"><v>2</v></c>',
    '<c r="A1"><v>1</v></c><c r="B1" t="str"><f>A1</f><v>9999999999999999</v></c><c r="C1"><v>2</v></c>',
  ],
])('makes a text of a long number %s', (_what, sheet, text) => {
  expect(kept(sheet)).toBe(text);
});

it.each([
  ['15 digits', '<c r="A1"><v>123456789012345</v></c>'],
  ['a fraction', '<c r="A1"><v>0.30000000000000004</v></c>'],
  ['a fraction after many digits', '<c r="A1"><v>1234567890123456.5</v></c>'],
  ['a power', '<c r="A1"><v>1.2345678901234568E+19</v></c>'],
  ['the number of a text', '<c r="A1" t="s"><v>0000000000000001</v></c>'],
])('leaves %s', (_what, sheet) => {
  expect(kept(sheet)).toBe(sheet);
});

it('leaves a part that ends within a number', () => {
  for (const sheet of ['<c r="A1"><v>1234567890123456', '<v>1234567890123456</v>', '<c r="A1"'])
    expect(kept(sheet)).toBe(sheet);
});
