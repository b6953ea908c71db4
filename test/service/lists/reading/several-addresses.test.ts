import { expect, it } from 'vitest';
import { addressesIn } from '../../../../src/service/lists/reading/several-addresses.ts';
import { stopIfEndless } from '../../../stop-if-endless.ts';

it.each([
  'a@x.example;b@x.example',
  'a@x.example, b@x.example',
  'a@x.example / b@x.example',
  'a@x.example\nb@x.example',
  'a@x.example\r\n\r\nb@x.example',
  'a@x.example und b@x.example',
  'a@x.example   and \t b@x.example',
  'a@x.example  /   b@x.example',
  'a@x.example b@x.example',
  'Ada <a@x.example>; Bob <b@x.example>',
])('finds both addresses in %j', (cell) => {
  expect(addressesIn(cell)).toEqual(['a@x.example', 'b@x.example']);
});

it.each([
  ['one address', 'a@x.example'],
  ['one address with a name', 'Ada; Bob <a@x.example>'],
  ['one address and a text', 'a@x.example; call @home'],
  ['none', 'n/a'],
  ['a long text', `a@x.example;b@x.example${' '.repeat(2_000)}`],
])('finds none in a cell with %s, because nothing may be lost', (_what, cell) => {
  expect(addressesIn(cell)).toEqual([]);
});

it('reads thousands of cells with white space between at signs, in which each space could begin a separator', () => {
  const cells = [`@${' '.repeat(1_990)}@`, `@${'\t '.repeat(990)}@`, `@${' / '.repeat(660)}@`];
  // Each took the square of its length, which was a fifth of a second.
  stopIfEndless(() => {
    for (let round = 0; round < 5_000; round += 1) addressesIn(cells[0]!);
  });
  expect(cells.map(addressesIn)).toEqual([[], [], []]);
});
