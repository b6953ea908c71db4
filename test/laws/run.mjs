/**
 * Takes the code of each law of ARCHITECTURE.md away, one after the other, and runs the law's test: `npm run laws`, or
 * `npm run laws -- erased stops` for some of them. The code changes only in a copy of the checkout. If a removal is not
 * noticed, it ends with 1.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { outcomeOf, readReport, summaryOf } from './outcomes.mjs';
import { REMOVALS, without } from './removals.mjs';

const LINKED = ['node_modules', 'dist'];
const NOT_COPIED = [...LINKED, '.git', 'test-results'];
const REPORT = 'report.json';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !REMOVALS.some(({ law }) => law === name));
if (unknown.length > 0) throw new Error(`Expected names of laws, got ${unknown.join(', ')}.`);
const removals = REMOVALS.filter(({ law }) => names.length === 0 || names.includes(law));

/** Made before a test runs: a removal whose code is gone ends the run at once. */
const texts = new Map(removals.map((removal) => [removal, without(removal)]));

const copy = mkdtempSync(join(tmpdir(), 'laws-'));
process.on('exit', () => rmSync(copy, { recursive: true }));
process.on('SIGINT', () => process.exit(130));
cpSync('.', copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
for (const name of LINKED) symlinkSync(resolve(name), join(copy, name));

console.log(`Tries ${removals.length} removals, one after the other.`);
const outcomes = removals.map((removal) => {
  const { law, test, file } = removal;
  writeFileSync(join(copy, file), texts.get(removal));
  const after = run(test);
  cpSync(file, join(copy, file));
  // What failed is run again with the code, because it may fail anyway.
  const { kind, detail } = outcomeOf(after, after.isRed ? run(test, after.failed) : undefined);
  console.log(`${law.padEnd(18)} ${kind.padEnd(11)} ${test}  ${detail}`);
  return { law, kind };
});
console.log(`\n${summaryOf(outcomes).join('\n')}`);
if (outcomes.some(({ kind }) => kind !== 'noticed')) process.exitCode = 1;

/**
 * Runs a test file in the copy until a test fails.
 *
 * @param titles runs only these tests @default all
 */
function run(test, titles = []) {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const pattern = titles.map((title) => title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  rmSync(join(copy, REPORT), { force: true });
  spawnSync(
    process.execPath,
    [
      ...[vitest, 'run', '--reporter=json', `--outputFile=${REPORT}`, '--bail=1', test],
      ...(pattern ? ['-t', pattern] : []),
    ],
    { cwd: copy },
  );
  const { testResults } = JSON.parse(readFileSync(join(copy, REPORT), 'utf8'));
  if (testResults.length !== 1)
    throw new Error(`Expected the results of ${test}, got ${testResults.length}.`);
  return readReport(testResults[0]);
}
