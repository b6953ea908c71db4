import { describe, expect, it } from 'vitest';
import { parseAddresses } from '../../../src/service/batch/parse-addresses.ts';

const parse = (emails: unknown, most = 100) => parseAddresses(emails, most);
const spellings = (emails: unknown) => parse(emails).entries.map(({ address }) => address);

it.each([
  ['commas', 'a@x.com,b@x.com'],
  ['line breaks', 'a@x.com\nb@x.com\r\n'],
  ['white space around entries', ' a@x.com ,\tb@x.com '],
  ['empty entries', ',a@x.com,,\n,b@x.com,'],
  ['a list', [' a@x.com', '', 'b@x.com ']],
])('reads %s', (_, emails) => {
  expect(spellings(emails)).toEqual(['a@x.com', 'b@x.com']);
  expect(parse(emails).total).toBe(2);
});

it('keeps the first spelling of equal entries, in the order sent, and counts the others', () => {
  expect(parse(['Jo@X.com', 'b@x.com', 'jo@x.com ', 'JO@x.com'])).toEqual({
    entries: [
      { address: 'Jo@X.com', duplicates: 2 },
      { address: 'b@x.com', duplicates: 0 },
    ],
    total: 4,
  });
});

it.each([
  [['İ@x.com', 'i\u0307@x.com'], 1],
  [['ΑΣ@x.gr', 'ασ@x.gr', 'ας@x.gr', 'ΑΣ@X.GR'], 1],
  [['ß@x.com', 'ẞ@x.com', 'ss@x.com'], 2],
  [['a@x.com', 'a＠x.com'], 2],
  [['\u00a0a@x.com\u3000', '\ufeffa@x.com'], 1],
])('compares without regard to case and white space in all scripts: %j', (emails, distinct) => {
  expect(parse(emails).entries).toHaveLength(distinct);
});

it('takes what is no address', () => {
  expect(spellings('no address,,\0,@')).toEqual(['no address', '\0', '@']);
});

it('does not split the entries of a list', () => {
  expect(spellings(['"a,b"@x.com'])).toEqual(['"a,b"@x.com']);
});

describe('refuses', () => {
  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['commas only', ' , \n,'],
    ['an empty list', []],
    ['a list of empty entries', ['', ' ']],
    ['a number', 7],
    ['null', null],
    ['an object', { a: 'b' }],
    ['a list with a number', ['a@x.com', 7]],
    ['a list in a list', [['a@x.com']]],
  ])('%s', (_, emails) => {
    expect(() => parse(emails)).toThrow(/^Expected emails to be the addresses/);
  });

  it('more entries than the account may send, duplicates included', () => {
    expect(parse('a@x.com,a@x.com', 2).total).toBe(2);
    expect(() => parse('a@x.com,a@x.com,a@x.com', 2)).toThrow(
      'Expected at most 2 addresses in emails, got 3.',
    );
  });
});
