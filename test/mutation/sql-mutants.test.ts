/** Which changes of SQL are tried. */
import { expect, it } from 'vitest';
// @ts-expect-error The file is plain JavaScript.
import { mutantsOf } from './sql-mutants.mjs';

/** Each text that a change leaves. */
const changes = (text: string, isSql = true): string[] =>
  mutantsOf(text, isSql).map(
    (mutant: { from: number; to: number; text: string }) =>
      text.slice(0, mutant.from) + mutant.text + text.slice(mutant.to),
  );

it.each([
  ['a and b', ['a or b']],
  ['a or b', ['a and b']],
  ['x between 1 and y', ['x between 2 and y']],
  ['x is null', ['x is not null']],
  ['x is not null', ['x is null']],
  ['not exists (select)', ['exists (select)']],
  ['exists (select)', ['not exists (select)']],
  ['a < b', ['a <= b']],
  ['a >= b', ['a > b']],
  ['a + b', ['a - b']],
  ['greatest(a, b)', ['least(a, b)']],
  ['a left join b', ['a join b']],
  ['order by a desc', ['order by a ']],
  ["interval '1 day'", ["interval '2 day'"]],
  ['drop table if exists a', []],
  ['create or replace function', []],
  ['data->>name = $1', []],
  ['a -- more or less', []],
  ['select\n  where a = b\n', ['select\n  \n']],
  ['exists (\n  where (a\n)', ['not exists (\n  where (a\n)']],
])('changes each place of %j', (sql, expected) => {
  expect(changes(sql)).toEqual(expected);
});

/** Code for a text in which `#{` begins the expressions of a template. */
const codeOf = (text: string) => text.replace('#', '$');

it.each([
  ['sql`a #{b and `c and d`} and e` and f', ['sql`a #{b and `c and d`} or e` and f']],
  ['sql<{ a: 1 }>`a < b`', ['sql<{ a: 1 }>`a <= b`']],
  ['sql`#{sql`a or b`}`', ['sql`#{sql`a and b`}`']],
  ['sql`#{{ a }} or b`', ['sql`#{{ a }} and b`']],
  ["db\n  .where('a', '=', b)\n", ['db\n  \n']],
])('changes what is SQL in %j only', (text, expected) => {
  expect(changes(codeOf(text), false)).toEqual(expected.map(codeOf));
});
