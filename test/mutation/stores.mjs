/**
 * Changes the SQL of stores and of the database's functions, one place after the other, and runs their tests on a real
 * PostgreSQL until one fails: `npm run mutation -- stores`, or `node test/mutation/stores.mjs claim-store` for those with
 * the name. No file on the disk is changed. Below the threshold, it ends with 1.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';
import { mutantsOf } from './sql-mutants.mjs';
import { STORES } from './tested-stores.mjs';

/** In percent: how many changes the tests have to notice. */
const THRESHOLD = 75;
/** Tests are patient with a busy machine. One that waits this long for a changed statement has noticed it. */
const PATIENCE_MS = 20_000;
/** A changed statement may never end, and would slow down all that come after it. */
const STATEMENT_MS = 10_000;

const PATIENCE = resolve('test/service/support/patience.ts');
const DATABASE = resolve('test/service/support/database.ts');
/** The end of the statement in {@link DATABASE} that makes a database. */
const MADE = 'strategy file_copy`);';

// The tests that only the long run has count as well.
process.env.TEST_NAMES_FILES = '1';
const names = process.argv.slice(2);
const stores = STORES.filter(({ file }) => names.length === 0 || names.some((name) => file.includes(name)));
if (stores.length === 0) throw new Error(`Expected names in test/mutation/tested-stores.mjs, got ${names}.`);

/** What the next run has in place of a file on the disk: a module, or a function in each database. */
let changed = { id: '', text: '' };

const vitest = await createVitest(
  'test',
  {
    config: 'test/mutation/vitest.config.ts',
    ...{ watch: false, bail: 1, reporters: [{}], coverage: { enabled: false } },
    ...{ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS },
  },
  {
    plugins: [
      {
        name: 'changed-sql',
        enforce: 'pre',
        load(id) {
          if (id === PATIENCE) return replaced(id, '300_000', String(PATIENCE_MS));
          if (id === DATABASE) return replaced(id, MADE, `${MADE}\n${settings()}`);
          return id === changed.id ? changed.text : null;
        },
      },
    ],
  },
);

let all = 0;
let missedOfAll = 0;
for (const { file, tests } of stores) {
  const text = readFileSync(file, 'utf8');
  change('', '');
  if (await areRed(tests)) throw new Error(`Expected the tests of ${file} to pass as it is. They fail.`);
  const mutants = mutantsOf(text, file.endsWith('.sql'));
  let missed = 0;
  console.log(file);
  for (const mutant of mutants) {
    change(resolve(file), text.slice(0, mutant.from) + mutant.text + text.slice(mutant.to));
    if (await areRed(tests)) continue;
    missed += 1;
    const line = text.slice(0, mutant.from).split('\n').length;
    const code = text.slice(mutant.from, mutant.to).trim();
    console.log(`  ${line}: ${code} -> ${mutant.text.trim() || 'nothing'}`);
  }
  console.log(`  Of ${mutants.length} changes, tests noticed ${mutants.length - missed}.`);
  all += mutants.length;
  missedOfAll += missed;
}
await vitest.close();
const noticed = all - missedOfAll;
const score = (100 * noticed) / all;
console.log(
  `\nOf ${all} changes, tests noticed ${noticed}: ${score.toFixed(1)} % (at least ${THRESHOLD} %).`,
);
process.exit(score < THRESHOLD ? 1 : 0);

/** Whether a test of the files fails, or a file can't run. The file that fails is the first one for the next change. */
async function areRed(tests) {
  for (const [index, test] of tests.entries()) {
    vitest.state.filesMap.clear();
    vitest.state.errorsSet.clear();
    await vitest.start([test]);
    const arePassed = vitest.state.getFiles().every(({ result }) => result?.state === 'pass');
    if (arePassed && vitest.state.errorsSet.size === 0) continue;
    tests.unshift(...tests.splice(index, 1));
    return true;
  }
  return false;
}

/** Has the next run read this text in place of a file, and the file before from the disk again. */
function change(id, text) {
  for (const file of [changed.id, id, DATABASE]) vitest.invalidateFile(file);
  changed = { id, text };
}

/** Code that prepares the database that has just been made. */
function settings() {
  const limit = `await runOnServer(server.url, \`alter database \${name} set statement_timeout = ${STATEMENT_MS}\`);`;
  if (!changed.id.endsWith('.sql')) return limit;
  const sql = JSON.stringify(changed.text);
  return `${limit}\nawait runOnServer(databaseOnSameServer(server.url, name), ${sql});`;
}

/** A file's text with something else in one place. Without the place, the run would change nothing in silence. */
function replaced(id, place, by) {
  const text = readFileSync(id, 'utf8');
  if (!text.includes(place)) throw new Error(`Expected ${place} in ${id}, got none.`);
  return text.replace(place, () => by);
}
