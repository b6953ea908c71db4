/** The list of what only the long run has. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LEFT_FOR_LONG, leftTests, restOfTests, SHORTER } from './long.mjs';

/** How many groups a line is in, by how far it and those above are indented. */
function groupsAround(lines: readonly string[], at: number): number {
  const indented = (line: string) => line.search(/\S/);
  let above = at - 1;
  while (above >= 0 && !(lines[above]!.trim() && indented(lines[above]!) < indented(lines[at]!))) above -= 1;
  if (above < 0) return 0;
  return groupsAround(lines, above) + (/^\s*(test\.)?describe\b/.test(lines[above]!) ? 1 : 0);
}

it.each(Object.entries({ ...LEFT_FOR_LONG, ...SHORTER }))(
  'names what exists, and why it is left: %s',
  (name, reason) => {
    const [file = '', ...titles] = name.split(' › ');
    expect(existsSync(file)).toBe(true);
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const [groups, title] of titles.entries()) {
      const isThere = (line: string) => ["'", '"', '`'].some((quote) => line.includes(quote + title));
      const depths = lines.flatMap((line, at) => (isThere(line) ? [groupsAround(lines, at)] : []));
      // Otherwise nothing is left out: a title follows those of all groups around it. A table of titles is in no group.
      expect(depths.some((depth) => depth === groups || depth === 0)).toBe(true);
    }
    expect(reason).toMatch(/^\S.{15,}\.$/);
  },
);

it('leaves out the tests whose titles begin as listed, and no others of their spec', () => {
  const isLeft = (title: string) => leftTests().some((pattern) => pattern.test(title));
  expect(isLeft('chromium docs.spec.ts passes axe and fits 320 px on every page of Start')).toBe(true);
  expect(isLeft('chromium docs.spec.ts copies code unchanged')).toBe(false);
  expect(isLeft('chromium forms.spec.ts a held submission into a new window needs no gesture')).toBe(true);
  expect(isLeft('chromium, whole docs.spec.ts prints the text without the navigation')).toBe(true);
  expect(isLeft('chromium forms.spec.ts a rejected address into a new window')).toBe(false);
});

it('has in the rest all that is left out, and the specs that are shorter', () => {
  const isRest = (title: string) => restOfTests().some((pattern) => pattern.test(title));
  expect(isRest('chromium docs.spec.ts prints the text without the navigation')).toBe(true);
  expect(isRest('chromium docs.spec.ts copies code unchanged')).toBe(false);
  expect(isRest('chromium theme.spec.ts keeps the theme')).toBe(true);
  expect(isRest('chromium libraries/hotwire.spec.ts verifies')).toBe(true);
  expect(isRest('chromium reach.spec.ts shows the message')).toBe(true);
});

/** What the list is made with, and what installs browsers as the long run does. */
const NOT_SHORTER = ['test/long.test.ts', 'test/in-long.ts', 'test/install-engines.test.ts'];

it('names every file that is shorter in `npm test`, and why', () => {
  const files = [
    ...readdirSync('test', { recursive: true, encoding: 'utf8' }).map((name) => `test/${name}`),
    ...readdirSync('e2e').map((name) => `e2e/${name}`),
  ].filter((file) => file.endsWith('.ts') && !NOT_SHORTER.includes(file));
  const asking = files.filter((file) =>
    /\bisLong\b|\binLong\b|\bTEST_LONG\b/.test(readFileSync(file, 'utf8')),
  );
  expect(Object.keys(SHORTER).sort()).toEqual(asking.map((file) => file.replaceAll('\\', '/')).sort());
});
