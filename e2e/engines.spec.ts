/** Compares docs/browsers.md with the tests. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { DIFFERENCES } from './engines/differences.ts';
import { ENGINES } from './engines/engines.mjs';

test('lists everything that an engine skips in docs/browsers.md, and nothing else', () => {
  const [, section = ''] = /## What is not tested in every browser\n([^#]*)/.exec(
    readFileSync('docs/browsers.md', 'utf8'),
  )!;
  const rows = section.split('\n').filter((line) => /^\| (?!what|---)/.test(line));
  const documented = rows
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, what, where]) => [what, where]);
  const known = Object.entries(DIFFERENCES).map(([what, engines]) => [
    what,
    engines.map((engine) => ENGINES[engine].title).join(', '),
  ]);
  expect(documented).toEqual(known);
});
