/** Known states, and how often the verdicts were right. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { countConfusion, readExpected, showConfusion } from '../../../src/cli/check/expected.ts';

it('reads lines, with or without a header, quotes and empty lines', () => {
  const lines = '\uFEFFemail,state\r\nada@example.org,deliverable\r\n\r\n"bo@example.org", "Risky"\n';
  expect(readExpected(lines)).toEqual([
    { email: 'ada@example.org', state: 'deliverable' },
    { email: 'bo@example.org', state: 'risky' },
  ]);
  expect(readExpected('ada@example.org,unknown')).toEqual([{ email: 'ada@example.org', state: 'unknown' }]);
});

it('reads an address with a quoted local part', () => {
  const lines = '"""jane, doe""@example.org",deliverable\n"jane doe"@example.org,risky\n';
  const [first, second] = readExpected(lines);
  expect(first?.email).toBe('"jane, doe"@example.org');
  expect(second?.email).toBe('"jane doe"@example.org');
});

it.each([
  ['ada@example.org', 1],
  ['email,state\nada@example.org,fine', 2],
  [',deliverable', 1],
])('refuses %j and names the line', (text, line) => {
  expect(() => readExpected(text)).toThrow(`Expected "email,state" in line ${line} of --expected`);
});

it('refuses a file without a line', () => {
  expect(() => readExpected('email,state\n')).toThrow('Expected at least one line');
});

it('counts right verdicts and wrongly condemned addresses, in a table with whole names', () => {
  const confusion = countConfusion([
    { expected: 'deliverable', got: 'deliverable' },
    { expected: 'deliverable', got: 'undeliverable' },
    { expected: 'undeliverable', got: 'undeliverable' },
    { expected: 'unknown', got: 'risky' },
  ]);
  expect(confusion.deliverable).toEqual({ deliverable: 1, undeliverable: 1, risky: 0, unknown: 0 });
  expect(showConfusion(confusion)).toMatch(/^expected \/ got +deliverable +undeliverable +risky +unknown$/m);
  expect(showConfusion(confusion)).toContain('2 of 4 right (50.0 %). Wrongly undeliverable: 1.');
});

it('reads the example of docs/engine.md', () => {
  const [, example = ''] = /```csv\n(.*?)```/s.exec(readFileSync('docs/engine.md', 'utf8')) ?? [];
  expect(readExpected(example).map(({ state }) => state)).toEqual(['deliverable', 'undeliverable']);
});
