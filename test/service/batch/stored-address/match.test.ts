import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { createMatcher } from '../../../../src/service/batch/stored-address/match.ts';
import { asciiInJson, asciiOf } from '../../../../src/service/database/ascii.ts';
import { createTestDatabase } from '../../support/database.ts';

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());

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
  ])('is in %j', (text) => {
    expect([is(text), isIn(text)]).toEqual([false, true]);
  });

  it.each([
    'bada@example.com',
    'x.ada@example.com',
    'x+ada@example.com',
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
])('finds %j in the database, however it was written', async (address, written) => {
  expect(createMatcher(address).is(written)).toBe(true);
  const json = JSON.stringify({ cells: [written] });
  const { rows } = await sql<{ found: boolean }>`
    select position(${createMatcher(address).ascii} in ${asciiOf(sql<string>`stored`)}) > 0 as found
    from (select ${json}::text as stored) as one
  `.execute(db);
  expect(rows).toEqual([{ found: true }]);
});

it('compares what is ASCII only', () => {
  expect(asciiInJson('Ünï"x\n@Y')).toBe('n\\"x\\n@y');
});
