import { describe, expect, it } from 'vitest';
import { allOf } from '../../../src/service/batch/entries/collected-entries.ts';
import { cutEntry, nameOf, parseAddresses } from '../../../src/service/batch/parse-addresses.ts';
import { atOnce } from '../../../src/shared/steps.ts';

const parse = (emails: unknown, most = 100) => atOnce(parseAddresses(emails, most));
const entriesIn = (emails: unknown) => allOf(parse(emails).entries);
const spellings = async (emails: unknown) => (await entriesIn(emails)).map(({ address }) => address);

it.each([
  ['commas', 'a@x.com,b@x.com'],
  ['line breaks', 'a@x.com\nb@x.com\r\n'],
  ['white space around entries', ' a@x.com ,\tb@x.com '],
  ['empty entries', ',a@x.com,,\n,b@x.com,'],
  ['a list', [' a@x.com', '', 'b@x.com ']],
])('reads %s', async (_, emails) => {
  expect(await spellings(emails)).toEqual(['a@x.com', 'b@x.com']);
  expect(parse(emails).total).toBe(2);
});

it('keeps the first spelling of equal entries, in the order sent, and counts the others', async () => {
  const emails = ['Jo@X.com', 'b@x.com', 'jo@x.com ', 'JO@x.com'];
  expect(await entriesIn(emails)).toEqual([
    { address: 'Jo@X.com', duplicates: 2 },
    { address: 'b@x.com', duplicates: 0 },
  ]);
  expect(parse(emails).total).toBe(4);
});

it.each([
  [['İ@x.com', 'i\u0307@x.com'], 1],
  [['ΑΣ@x.gr', 'ασ@x.gr', 'ας@x.gr', 'ΑΣ@X.GR'], 1],
  [['ß@x.com', 'ẞ@x.com', 'ss@x.com'], 2],
  [['a@x.com', 'a＠x.com'], 2],
  [['\u00a0a@x.com\u3000', '\ufeffa@x.com'], 1],
])('compares without regard to case and white space in all scripts: %j', (emails, distinct) => {
  expect(parse(emails).entries.distinct).toBe(distinct);
});

it('takes what is no address', async () => {
  expect(await spellings('no address,,\0,@')).toEqual(['no address', '\0', '@']);
});

it('does not split the entries of a list', async () => {
  expect(await spellings(['"a,b"@x.com'])).toEqual(['"a,b"@x.com']);
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
      'Expected at most 2 addresses in emails, got more.',
    );
  });
});

describe('an entry over 320 octets', () => {
  const long = (end: string) => `${'x'.repeat(320)}${end}`;

  it('is stored as its first 320 octets and an ellipsis', async () => {
    expect(await spellings([long('yz')])).toEqual([long('…')]);
    expect(cutEntry(long(''))).toBe(long(''));
  });

  it('is not cut within a character', () => {
    expect(cutEntry('é'.repeat(161))).toBe(`${'é'.repeat(160)}…`);
    expect(cutEntry(`x${'é'.repeat(160)}`)).toBe(`x${'é'.repeat(159)}…`);
    expect(cutEntry('é'.repeat(160))).toBe('é'.repeat(160));
    expect(cutEntry('\u{1f600}'.repeat(81))).toBe(`${'\u{1f600}'.repeat(80)}…`);
  });

  it('is told apart from others that begin in the same way, without regard to case', async () => {
    expect(await entriesIn([long('a'), long('b'), long('A'), `${long('a')} `])).toEqual([
      { address: long('…'), duplicates: 2 },
      { address: long('…'), duplicates: 0 },
    ]);
  });

  it('is not equal to an entry that was cut before', () => {
    expect(parse([long('a'), long('…')]).entries.distinct).toBe(2);
  });

  it('has the same name however many steps its digest takes', () => {
    const huge = (end: string) => `${'\u{1f600}ΑΣ'.repeat(100_000)}${end}`;
    expect(nameOf(huge('Σ'), 'stored')).toBe(nameOf(huge('ς'), 'stored'));
    expect(nameOf(`x${huge('')}`, 'stored')).not.toBe(nameOf(huge('x'), 'stored'));
  });
});

it('takes spellings of one mailbox for one, and keeps the first as it was typed', async () => {
  const emails = [
    ...['Jose\u0301@MÜNCHEN.example', 'jos\u00e9@xn--mnchen-3ya.example', 'JOSÉ@mu\u0308nchen.example'],
    ...['strauß@straße.example', 'strauss@straße.example', 'strauß@strasse.example'],
  ];
  expect(await entriesIn(emails)).toEqual([
    { address: 'Jose\u0301@MÜNCHEN.example', duplicates: 2 },
    { address: 'strauß@straße.example', duplicates: 0 },
    { address: 'strauss@straße.example', duplicates: 0 },
    { address: 'strauß@strasse.example', duplicates: 0 },
  ]);
});

it.each([
  ['an empty list', []],
  ['only empty entries', ['', ' ']],
  ['only empty entries', ' , '],
  ['nothing', ''],
])('says that it got %s', (what, emails) => {
  expect(() => parse(emails)).toThrow(`or a list, got ${what}.`);
});

it('names the place of an entry that is not a text', () => {
  expect(() => parse(['a@x.com', null])).toThrow('got something else in emails[1].');
});

it('stops at 500,001 empty entries', () => {
  expect(parse(`${','.repeat(500_000)}a@x.com`).total).toBe(1);
  expect(() => parse(`${','.repeat(500_001)}a@x.com`)).toThrow('Expected at most 500000 empty entries');
});
