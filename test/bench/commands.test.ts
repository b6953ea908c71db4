/** `bench/figures.md` names a command for each figure. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const COMMANDS = new Set(
  [...readFileSync('bench/figures.md', 'utf8').matchAll(/`((?:npm run|node bench\/)[^`]*)`/g)].map(
    ([, command]) => command!,
  ),
);
const SCRIPTS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
const PARTS = /const PARTS[^;]+;/.exec(readFileSync('bench/main.ts', 'utf8'))![0];
/** The figures of a part that can be measured alone. */
const FIGURES: Readonly<Record<string, string>> = {
  batch: readFileSync('bench/batch/index.ts', 'utf8'),
  housekeeping: readFileSync('bench/housekeeping/index.ts', 'utf8'),
  large: readFileSync('bench/batch/large.ts', 'utf8'),
  load: readFileSync('bench/load/index.ts', 'utf8'),
  service: readFileSync('bench/service/index.ts', 'utf8'),
};

describe('a command of the list of figures', () => {
  it.each([...COMMANDS])('exists: %s', (command) => {
    const [, script] = /^npm run (\S+)/.exec(command) ?? [];
    if (script !== undefined) expect(SCRIPTS).toContain(script);
    const [, part = script?.replace('bench:', '')] = /^node bench\/run.mjs (\w+)/.exec(command) ?? [];
    if (script === undefined) expect(PARTS).toContain(`'${part}'`);
    const [, only] = /--only=(\w+)/.exec(command) ?? [];
    if (only !== undefined) expect(FIGURES[part!]).toMatch(new RegExp(`\\b${only}\\b`));
  });
});
