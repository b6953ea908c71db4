import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../../../src/service/batch/stored-address/match-address.ts';
import { asciiInJson, holdsOneOf } from '../../../../src/service/database/ascii.ts';
import { inLong } from '../../../in-long.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

describe('an address with several spellings', () => {
  const spellings = [
    ...['jos\u00e9@münchen.example', 'jos\u00e9@xn--mnchen-3ya.example', 'JOSE\u0301@MU\u0308NCHEN.example'],
  ];

  it.each(spellings)('is found in each, by %s', async (address) => {
    const { is, isIn, ascii } = createMatcher(address);
    for (const text of spellings) {
      expect([is(text), isIn(`José <${text}>`)]).toEqual([true, true]);
      const { rows } = await sql<{ found: boolean }>`
        select ${holdsOneOf(sql`${JSON.stringify(text)}::text`, ascii)} as found
      `.execute(db);
      expect(rows).toEqual([{ found: true }]);
    }
    expect(isIn('jose@munchen.example')).toBe(false);
  });
});

describe('an address', () => {
  const { is, isIn } = createMatcher(' Ada@Example.com ');

  it.each(['ada@example.com', 'ADA@EXAMPLE.COM', '\tAda@example.com\n'])('is %j', (text) => {
    expect([is(text), isIn(text)]).toEqual([true, true]);
  });

  it.each([
    'Ada <ada@example.com>',
    'mailto:ada@example.com',
    'write to ada@example.com.',
    '"ada@example.com"',
    'ada@example.com,bo@example.com',
    "'ada@example.com'",
    '=ada@example.com',
    '*ada@example.com*',
    'https://example.net/?user=ada@example.com&x=1',
    'https://example.net/stop/ada@example.com',
    'https://example.net/?user=ADA%40Example.com',
    '%61da%40example.com',
    '100 % ada@example.com %zz',
    '%ff ada%40example.com',
  ])('is in %j', (text) => {
    expect([is(text), isIn(text)]).toEqual([false, true]);
  });

  it.each([
    'bada@example.com',
    'x.ada@example.com',
    'x+ada@example.com',
    "o'ada@example.com",
    'x+ada%40example.com',
    '%40%',
    'ada@example.com.au',
    'ada@example.community',
    'ada@example-com',
    'ada@exampleXcom',
    '',
  ])('is not in %j', (text) => {
    expect(isIn(text)).toBe(false);
  });

  it('may be any text, also one that means something in a pattern', () => {
    for (const text of ['(', 'a|b', '[x]', '\\d', 'a.b*c?', '^$', '\ud800@x', 'a\u0000@x'])
      expect(createMatcher(text).isIn(text)).toBe(true);
    expect(createMatcher('a.b@x').isIn('axb@x')).toBe(false);
  });
});

// A hyphen with a backslash before it is no pattern in Unicode mode.
it.each(['no-reply@a.co', 'jean-luc@example.org', 'a@b-c.example'])(
  'looks for the hyphen of %j',
  (address) => {
    expect(createMatcher(address).isIn(`To: <${address.toUpperCase()}>`)).toBe(true);
  },
);

it('looks for every sign that a keyboard has', () => {
  for (let code = 0; code < 128; code += 1) {
    const address = `a${String.fromCharCode(code)}b@example.org`;
    expect(createMatcher(address).isIn(`<${address}>`)).toBe(true);
  }
});

inLong('looks for any text whatever', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 40 });
  const unit = fc.constantFrom('\ud800', '%', '%4', '-', '\\', '@', 'ς', 'İ', ']', 'a');
  const withHalves = fc.string({ unit });
  fc.assert(
    fc.property(fc.oneof(anything, withHalves), anything, (text, other) => {
      const { isIn, replaceInName } = createMatcher(text);
      expect(isIn(text)).toBe(true);
      isIn(other);
      expect(replaceInName(other, 'erased')).not.toBe(other);
    }),
  );
});

it.each([
  ['ada@example.com.csv', 'erased.csv'],
  ['ADA@Example.com-2026.xlsx', 'erased-2026.xlsx'],
  ['for_ada@example.com_and_Ada@example.com', 'for_erased_and_erased'],
  ['for ada%40example.com.csv', 'for erased.csv'],
  ['bo.ada@example.com.csv', undefined],
  ['people.csv', undefined],
])('leaves the rest of the name %j', (name, expected) => {
  expect(createMatcher('ada@example.com').replaceInName(name, 'erased')).toBe(expected);
});

it('leaves nothing of a name with letters that are equal in no simple way', () => {
  const { replaceInName } = createMatcher('i\u0307@x.example');
  expect(replaceInName('list \u0130@x.example.csv', 'erased')).toBe('erased');
});

// What the database looks for must never leave out what JavaScript calls equal.
it.each([
  ['ada@example.com', 'ADA@Example.COM'],
  ['jürgen@köln.example', 'JÜRGEN@KÖLN.example'],
  ['kelvin@x.example', '\u212aELVIN@x.example'],
  ['i\u0307@x.example', '\u0130@x.example'],
  ['σίσυφος@x.example', 'ΣΊΣΥΦΟΣ@x.example'],
  ['"a\\b"@x', '"A\\B"@x'],
  ['a\u0000b@x', 'A\u0000B@x'],
  ['\ud800a@x', '\ud800A@x'],
  ['é', 'É'],
  ['ada+x@example.com', 'https://example.net/?user=ADA+x%40example.com'],
  ['ada+x@example.com', 'https://example.net/?user=ada%2Bx%40example.com'],
])('finds %j in the database, however it was written', async (address, written) => {
  expect(createMatcher(address).isIn(written)).toBe(true);
  const json = JSON.stringify({ cells: [written] });
  const { rows } = await sql<{ found: boolean }>`
    select ${holdsOneOf(sql<string>`stored`, createMatcher(address).ascii)} as found
    from (select ${json}::text as stored) as one
  `.execute(db);
  expect(rows).toEqual([{ found: true }]);
});

it('compares what is ASCII only', () => {
  expect(asciiInJson('Ünï"x\n@Y')).toBe('n\\"x\\n@y');
});
