/** ARCHITECTURE.md names the tests and the removals of each law. `npm run laws` tries the removals. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error The file is plain JavaScript.
import { REMOVALS, without } from './removals.mjs';

interface Removal {
  readonly law: string;
  readonly test: string;
  readonly file: string;
  readonly find: string;
}

const MIGRATIONS = 'src/service/database/migrations';

const [, section = ''] = /^## Laws\n(.*?)^## /ms.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? [];

it('has a removal for each test of each law, and no other', () => {
  const rows = section.split('\n').filter((line) => line.startsWith('- '));
  const named = rows.flatMap((row) => {
    const links = [...row.matchAll(/\[([\w-]+)\]\((.+?)\)/g)];
    return links.map(([, , test]) => `${links[0]![1]} ${test}`);
  });
  const removed = (REMOVALS as readonly Removal[]).map(({ law, test }) => `${law} ${test}`);
  expect(named.length).toBeGreaterThan(40);
  expect(new Set(named)).toEqual(new Set(removed));
});

it.each<Removal>(REMOVALS)('finds the code of $law for $test', (removal) => {
  expect(without(removal)).not.toBe(readFileSync(removal.file, 'utf8'));
});

it.each<Removal>((REMOVALS as readonly Removal[]).filter(({ file }) => file.startsWith(MIGRATIONS)))(
  'removes the code of $law from the latest text of its function',
  ({ file, find }) => {
    const text = readFileSync(file, 'utf8');
    const name = [...text.slice(0, text.indexOf(find)).matchAll(/function (\w+)\(/gi)].at(-1)![1]!;
    const makers = readdirSync(MIGRATIONS)
      .sort()
      .filter((other) =>
        readFileSync(`${MIGRATIONS}/${other}`, 'utf8').toLowerCase().includes(`function ${name}(`),
      );
    expect(`${MIGRATIONS}/${makers.at(-1)}`).toBe(file);
  },
);
