import { describe, expect, it } from 'vitest';
import { styleOf } from '../../../../src/service/lists/reading/text-style.ts';

describe('the quotation marks of a file', () => {
  it.each([
    ['needed', 'Name,Zip\n"Lovelace, Ada",01067\n'],
    ['needed', 'Name,Zip\nAda,01067\n'],
    ['needed', '"say ""hi"", Ada",x\n"two\nlines",y\n'],
    ['all', '"Name","Zip"\n"Ada","01067"\n'],
    ['all', '"Name","Zip"\r\n"Ada",""\r\n'],
    ['texts', '"Name","Points"\n"Ada",7\n"Bob",-1.5\n'],
    ['needed', ''],
  ])('are around cells: %s', (quotes, text) => {
    expect(styleOf(text, ',', '\n').quotes).toBe(quotes);
  });

  it('may be around empty cells', () => {
    expect(styleOf('"a","",""\n', ',', '\n').quotesEmpty).toBe(true);
    expect(styleOf('"a",,""\n,\n', ',', '\n').quotesEmpty).toBe(false);
  });

  it('are those of the first rows, if one does not close', () => {
    expect(styleOf('"a","b', ',', '\n').quotes).toBe('all');
  });
});

it('reads a long file without a line end once', () => {
  expect(styleOf(`"${'""'.repeat(100_000)}`, ',', '\n')).toMatchObject({ quotes: 'needed' });
});
