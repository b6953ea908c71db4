/**
 * A select that locks rows has to run once. As a part of a join, PostgreSQL may run it for each row of another table:
 * that takes seconds for some hundred rows. With a limit, each run also passes over what the one before has changed, and
 * takes more. A part of a `with` and an `array(…)` run once, whatever the plan.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SERVICE = fileURLToPath(new URL('../../../src/service/', import.meta.url));
const STATEMENTS = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(ts|sql)$/.test(file) && !file.startsWith('database/migrations/'),
);

/** A function looks for each row that its caller names. */
const RUNS_ONCE = /\b(as|as materialized|array|as each \([\w, ]+\)\s+(--.*\s+)?cross join lateral)\s*$/;
const IS_ALONE = { before: /\bselect [\w., ]+ from\s*$/, after: /^\) as \w+\s+(union|limit)\b/ };

/** The selects in brackets that lock rows, and whether each runs once in every plan. */
function lockedParts(text: string): { select: string; runsOnce: boolean }[] {
  const found: { select: string; runsOnce: boolean }[] = [];
  const open: number[] = [];
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    if (bracket === '(') open.push(index);
    else {
      const select = withoutBrackets(text.slice((open.at(-1) ?? index) + 1, index));
      if (/^\s*select\b/.test(select) && /\bfor (no key )?update\b/.test(select)) {
        const befores = open.map((start) => text.slice(Math.max(0, start - 120), start));
        const isAlone = IS_ALONE.before.test(befores.at(-1)!) && IS_ALONE.after.test(text.slice(index));
        found.push({ select, runsOnce: isAlone || befores.some((before) => RUNS_ONCE.test(before)) });
      }
      open.pop();
    }
  }
  return found;
}

function withoutBrackets(text: string): string {
  const inner = text.replace(/\([^()]*\)/g, '');
  return inner === text ? text : withoutBrackets(inner);
}

it('locks rows only where PostgreSQL looks for them once', () => {
  const partsOf = (file: string) => lockedParts(readFileSync(`${SERVICE}${file}`, 'utf8'));
  const parts = STATEMENTS.flatMap((file) => partsOf(file).map((part) => ({ file, ...part })));
  expect(parts.length).toBeGreaterThan(10);
  expect(parts.filter(({ runsOnce }) => !runsOnce)).toEqual([]);
});
