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
const THRESHOLD = 85;
/** Tests are patient with a busy machine. One that waits this long for a changed statement has noticed it. */
const PATIENCE_MS = 20_000;

const PATIENCE = resolve('test/service/support/patience.ts');
const DATABASE = resolve('test/service/support/database.ts');

const names = process.argv.slice(2);
const stores = STORES.filter(({ file }) => names.length === 0 || names.some((name) => file.includes(name)));
if (stores.length === 0)
  throw new Error(`Expected names of ${STORES.map(({ file }) => file)}, got ${names}.`);

/** The module that is read in place of the one on the disk. */
let changed = { id: '', text: '' };

const vitest = await createVitest(
  'test',
  {
    config: 'test/mutation/vitest.config.ts',
    ...{ watch: false, bail: 1, reporters: [{}], coverage: { enabled: false } },
  },
  {
    plugins: [
      {
        name: 'changed-sql',
        enforce: 'pre',
        load(id) {
          if (id === changed.id) return changed.text;
          return id === PATIENCE ? replaced(readFileSync(id, 'utf8'), '300_000', String(PATIENCE_MS)) : null;
        },
      },
    ],
  },
);

let all = 0;
let survived = 0;
for (const { file, tests } of stores) {
  const text = readFileSync(file, 'utf8');
  change('', '');
  if (await fails(tests))
    throw new Error(`Expected the tests of ${file} to pass without a change. They fail.`);
  const mutants = mutantsOf(text, file.endsWith('.sql'));
  const survivors = [];
  for (const mutant of mutants) {
    const mutated = text.slice(0, mutant.from) + mutant.text + text.slice(mutant.to);
    if (file.endsWith('.sql')) change(DATABASE, withFunction(mutated));
    else change(resolve(file), mutated);
    if (!(await fails(tests))) survivors.push(mutant);
  }
  all += mutants.length;
  survived += survivors.length;
  console.log(`${file}: of ${mutants.length} changes, tests noticed ${mutants.length - survivors.length}.`);
  for (const mutant of survivors) {
    const line = text.slice(0, mutant.from).split('\n').length;
    console.log(
      `  ${line}: ${text.slice(mutant.from, mutant.to).trim()} -> ${mutant.text.trim() || 'nothing'}`,
    );
  }
}
await vitest.close();
const score = (100 * (all - survived)) / all;
console.log(
  `\nOf ${all} changes, tests noticed ${all - survived} (${score.toFixed(1)} %; at least ${THRESHOLD} %).`,
);
process.exit(score < THRESHOLD ? 1 : 0);

/** Whether a test fails, or a file can't run. */
async function fails(tests) {
  vitest.state.filesMap.clear();
  vitest.state.errorsSet.clear();
  await vitest.start(tests);
  return (
    vitest.state.errorsSet.size > 0 || vitest.state.getFiles().some(({ result }) => result?.state !== 'pass')
  );
}

/** Has the next run read this text in place of a module, and the module before from the disk again. */
function change(id, text) {
  const before = changed.id;
  changed = { id, text };
  for (const file of new Set([before, id])) if (file) vitest.invalidateFile(file);
}

/** The module that makes the tests' databases, so that each has the function in place of its own. */
function withFunction(sql) {
  const made = 'strategy file_copy`);';
  const statement = `await runOnServer(databaseOnSameServer(server.url, name), ${JSON.stringify(sql)});`;
  return replaced(readFileSync(DATABASE, 'utf8'), made, `${made}\n${statement}`);
}

/** Refuses a text without the place: what reads it would change nothing in silence. */
function replaced(text, place, by) {
  if (!text.includes(place)) throw new Error(`Expected ${place} in a helper of the tests, got none.`);
  return text.replace(place, () => by);
}
