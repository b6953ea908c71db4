/** What docs/browsers.md says of the tests is so. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { DIFFERENCES } from './engines/differences.ts';
import { ENGINES } from './engines/engines.mjs';

test('docs/browsers.md has a row for everything that is left out in an engine, and no other', () => {
  const [, section = ''] = /## What is not tried everywhere\n([^#]*)/.exec(
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
