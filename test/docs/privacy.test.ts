/** docs/privacy.md names every table of the database, and settings with the defaults that they have. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULT_DURATIONS } from '../../src/service/config/sections/durations-section.ts';

const PAGE = readFileSync('docs/privacy.md', 'utf8');
const GOLDEN = readFileSync('test/service/database/schema.golden.txt', 'utf8');

it('names every table', () => {
  const tables = [...GOLDEN.matchAll(/^(\w+) is (?:un)?logged$/gm)].map(([, table]) => table!);
  expect(tables.length).toBeGreaterThan(20);
  const [, stored = ''] = /^## What the service stores\n(.*?)^## /ms.exec(PAGE) ?? [];
  const named = [...stored.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  expect(tables.filter((table) => !named.includes(table))).toEqual([]);
});

/** `2592000` → `30 days`. */
function inWords(seconds: number): string {
  if (seconds === 86_400) return 'a day';
  if (seconds === 3_600) return 'an hour';
  const [unit = '', length = 1] =
    Object.entries({ days: 86_400, hours: 3_600, minutes: 60 }).find(([, each]) => seconds >= each) ?? [];
  return `${seconds / length} ${unit}`;
}

it('says how long each duration is', () => {
  const lines = PAGE.split('\n').filter((line) => line.startsWith('|') && line.includes('`durations.'));
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    for (const [, name = ''] of line.matchAll(/`durations\.(\w+)`/g)) {
      // A device code is named for its end.
      if (name === 'deviceCode') continue;
      expect(line).toContain(inWords(DEFAULT_DURATIONS[name as keyof typeof DEFAULT_DURATIONS]));
    }
  }
});
