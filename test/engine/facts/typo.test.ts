import { expect, it } from 'vitest';
import { isTypo } from '../../../src/engine/facts/typo.ts';

it.each([
  ['two letters swapped', 'gmial', 'gmail'],
  ['the first two swapped', 'mgail', 'gmail'],
  ['a letter left out', 'gmal', 'gmail'],
  ['the last letter left out', 'gmai', 'gmail'],
  ['a letter struck twice', 'gmaail', 'gmail'],
  ['the last letter struck twice', 'gmaill', 'gmail'],
  ['the neighbour of the letter before struck as well', 'gmaikl', 'gmail'],
  ['the neighbour of the letter after struck as well', 'gnmail', 'gmail'],
  ['an s in the middle', 'verizson', 'verizon'],
  ['the key to the right', 'gmaol', 'gmail'],
  ['the key to the left', 'gmaul', 'gmail'],
  ['the key above', 'gmqil', 'gmail'],
  ['the key below, to the left', 'gmzil', 'gmail'],
  ['a key beside it on a German keyboard', 'vetizon', 'vezizon'],
])('finds a typing error, %s: %s for %s', (_, typed, meant) => {
  expect(isTypo(typed, meant)).toBe(true);
});

it.each([
  ['the word itself', 'gmail', 'gmail'],
  ['nothing', '', ''],
  ['another first letter', 'hmail', 'gmail'],
  ['the first letter left out', 'mail', 'gmail'],
  ['a letter before the first', 'ggmail', 'mail'],
  ['one of the first two, and another letter', 'mxail', 'gmail'],
  ['a key far away', 'gmpil', 'gmail'],
  ['a letter too many from far away', 'gmapil', 'gmail'],
  ['a plural', 'gmails', 'gmail'],
  ['two letters left out', 'gml', 'gmail'],
  ['two letters too many', 'gmaiill', 'gmail'],
  ['two slips', 'gmsik', 'gmail'],
  ['another word', 'yahoo', 'gmail'],
])('finds no typing error in %s: %s for %s', (_, typed, meant) => {
  expect(isTypo(typed, meant)).toBe(false);
});
