import { readdirSync } from 'node:fs';

const FILES = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
);

/**
 * Refuses a pattern that names no file: after a folder is moved, it would change no rule in silence.
 *
 * @param {string} pattern `*` stands for a part of a name, and `**` for any folders
 */
function checked(pattern) {
  const expression = pattern.replaceAll('.', '\\.').replaceAll('**/', '(.+/)?').replaceAll('*', '[^/]*');
  if (FILES.some((path) => new RegExp(`^${expression}$`).test(path))) return pattern;
  throw new Error(`Expected files that match ${pattern}, got none. Correct the pattern.`);
}

/**
 * Changes the rules one by one, and counts how many changes no unit test notices: `npm run mutation`. It takes half an
 * hour, and more on a busy machine: not part of the test command. The report lies in test-results/mutation/.
 *
 * @param {string} name of the report
 * @param {string[]} rules patterns of the files that decide, without a document or a socket of their own
 * @param {string[]} tests patterns of the tests that are theirs
 */
export const mutate = (name, rules, tests) => ({
  mutate: rules.map(checked),
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // On a busy machine a slow mutant must not pass for one that has hung.
  timeoutMS: 20_000,
  // What is made once, as a module is read, can't be changed between two tests.
  ignoreStatic: true,
  // TypeScript's compiler has no programming interface any more; there is no file of this name, and none is rewritten.
  tsconfigFile: 'none.json',
  testFiles: tests.map(checked),
  ignorePatterns: ['/dist', '/e2e', '/test-results', '/docs', '/demo', '/bench'],
  tempDirName: 'test-results/mutation/tmp',
  reporters: ['clear-text', 'html', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: `test-results/mutation/${name}.html` },
  thresholds: { high: 95, low: 85, break: 85 },
  allowConsoleColors: false,
});
