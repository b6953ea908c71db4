/**
 * Takes the code of each law of ARCHITECTURE.md away, one after the other, and runs the law's test: `npm run laws`, or
 * `npm run laws -- erased stops` for some of them. The code changes only in a copy of the checkout. If a test does not
 * notice, it ends with 1.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { REMOVALS, without } from './removals.mjs';

const LINKED = ['node_modules', 'dist'];
const NOT_COPIED = [...LINKED, '.git', 'test-results'];
const REPORT = 'report.json';

const names = process.argv.slice(2);
const removals = REMOVALS.filter(({ law }) => names.length === 0 || names.includes(law));

const copy = mkdtempSync(join(tmpdir(), 'laws-'));
process.on('exit', () => rmSync(copy, { recursive: true }));
process.on('SIGINT', () => process.exit(130));
cpSync('.', copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(basename(path)) });
for (const name of LINKED) symlinkSync(resolve(name), join(copy, name));

/** Tests that fail with the code of every law. They notice nothing. */
const before = new Set(failuresIn([...new Set(removals.map(({ test }) => test))]));

for (const removal of removals) {
  const { law, test, file } = removal;
  writeFileSync(join(copy, file), without(removal));
  const noticing = failuresIn([test]).find((title) => !before.has(title));
  cpSync(file, join(copy, file));
  if (noticing === undefined) process.exitCode = 1;
  console.log(
    `${law.padEnd(18)} ${noticing === undefined ? 'NOT NOTICED' : 'noticed    '} ${test}  ${noticing ?? ''}`,
  );
}

/** The titles of the tests that fail. A file that cannot run has none: it notices nothing. */
function failuresIn(tests) {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  rmSync(join(copy, REPORT), { force: true });
  spawnSync(process.execPath, [vitest, 'run', '--reporter=json', `--outputFile=${REPORT}`, ...tests], {
    cwd: copy,
  });
  const { testResults } = JSON.parse(readFileSync(join(copy, REPORT), 'utf8'));
  if (testResults.length !== tests.length) throw new Error(`Expected results of ${tests}, got fewer.`);
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
}
