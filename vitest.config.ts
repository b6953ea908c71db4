import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { bundleProcess } from './src/service/lists/reading/bundle.mjs';
import { thresholds } from './test/covered.ts';
import { isLong, LEFT_FOR_LONG } from './test/long.mjs';
import { PATIENTLY } from './test/service/support/patience.ts';

/** Files that take longest, most of them by waiting for processes. Each starts first in its project. */
const SLOWEST = [
  'test/build/start.test.ts',
  'test/service/batch/download/download-route.test.ts',
  'test/service/batch/live/poison.test.ts',
  'test/service/roles/stopping.test.ts',
  'test/service/app/main-database.test.ts',
  'test/docs/batch.test.ts',
  'test/service/roles/roles.test.ts',
  'test/service/database/database.test.ts',
  'test/cli/backup.test.ts',
  'test/cli/main.test.ts',
  'test/docs/oauth.test.ts',
  'test/docs/start.test.ts',
  'test/service/app/main.test.ts',
  'test/service/lists/reading/list-reader.test.ts',
  'test/service/batch/live/engine.test.ts',
  'test/service/app/stop.test.ts',
  'test/widget/sequences/sequences.test.ts',
];

/**
 * Files that replace modules, measure memory or processor time, or set up something for their worker. Each has a worker
 * of its own.
 */
const ALONE = [
  'test/engine/facts/unreadable-list.test.ts',
  'test/service/database/embedded*.test.ts',
  'test/service/database/embedded/**/*.test.ts',
  'test/service/files/compressed-file.test.ts',
  'test/service/lists/reading/sheets-at-once.test.ts',
  'test/service/batch/download/download-route.test.ts',
  'test/service/batch/live/poison.test.ts',
  'test/service/people/sign-in/confirm-password.test.ts',
  'test/service/people/sign-in/passwords.test.ts',
  'test/service/fuzz.test.ts',
  'test/service/app/heap.test.ts',
  'test/service/hostile-sizes.test.ts',
  // It looks at all open sockets of its process.
  'test/engine/dns/create-resolver.test.ts',
  // They collect garbage, which takes seconds in a worker that has run other files.
  'test/service/keys/released-keys.test.ts',
  // esbuild refuses to run where a window has other classes than Node.
  'test/docs/snippets.test.ts',
  // They replace `fetch` and its classes.
  'test/testing/examples/sign-up.test.ts',
  'test/testing/msw.test.ts',
];

/** Files that ask for a document in their first line. */
const PAGES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((file) => readFileSync(file, 'utf8').startsWith('// @vitest-environment happy-dom'));

/** Whether the command line names the file. A folder or a part of a name does not. */
const isNamed = (file: string) =>
  process.argv.some((word) => resolve(word.replace(/:\d+$/, '')) === resolve(file));
/** Whether the command line names a test file. Such a run has also the tests that `npm test` leaves out. */
const NAMES_FILES = process.argv.some((word) => /\.test\.ts(:\d+)?$/.test(word));
const LEFT_OUT = isLong ? [] : Object.keys(LEFT_FOR_LONG).filter((file) => !isNamed(file));

/** In this order, so that workers that files share live as long as their project, and the shortest files come last. */
const PROJECTS = ['alone', 'programs', 'pages'];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const isSlow = SLOWEST.some((file) => moduleId.endsWith(file));
      return 2 * PROJECTS.indexOf(project.name) + (isSlow ? 0 : 1);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig(({ mode }) => ({
  // As in the build, too.
  define: { VERSION: JSON.stringify('0.0.0') },
  plugins: [
    {
      // As in the build: the style sheet of the service's pages is its text. By another name, because vitest empties
      // whatever is called a style sheet.
      name: 'service-css-text',
      enforce: 'pre',
      resolveId(source, importer = '') {
        if (!source.endsWith('.css') || !/\bsrc\/service\//.test(importer)) return null;
        return `${resolve(dirname(importer), source)}.text`;
      },
      load(id) {
        if (!id.endsWith('.css.text')) return null;
        return `export default ${JSON.stringify(readFileSync(id.replace(/\.text$/, ''), 'utf8'))}`;
      },
    },
    {
      // As in the build: what a process runs is one script.
      name: 'process-code',
      enforce: 'pre',
      resolveId(source, importer = '') {
        if (!source.endsWith('.ts?bundle')) return null;
        return `\0${resolve(dirname(importer), source.replace('?bundle', '.bundle'))}`;
      },
      async load(id) {
        if (!id.endsWith('.ts.bundle')) return null;
        return `export default ${JSON.stringify(await bundleProcess(id.slice(1).replace(/\.bundle$/, '')))}`;
      },
    },
    {
      // As in the build: an imported style sheet is its text.
      name: 'css-text',
      enforce: 'pre',
      load(id) {
        if (id.endsWith('.css')) return `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`;
        return null;
      },
    },
  ],
  // What tests import by the package's own name is the sources.
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: resolve('test/fast-check.ts') },
      { find: /^email-verify-widget$/, replacement: resolve('src/widget/index.ts') },
      { find: /^email-verify-widget\/(testing|debug|server)$/, replacement: resolve('src/$1/index.ts') },
      { find: /^email-verify-widget\/testing\/(\w+)$/, replacement: resolve('src/testing/$1.ts') },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        // A project does not get the mode of the command line by itself.
        mode,
        test: { name: 'alone', include: ALONE, exclude: LEFT_OUT },
      },
      {
        extends: true,
        mode,
        test: {
          name: 'pages',
          include: PAGES,
          exclude: [...ALONE, ...LEFT_OUT],
          // Each file has a window of its own, in a process that has loaded happy-dom once.
          pool: 'vmThreads',
        },
      },
      {
        extends: true,
        mode,
        test: {
          name: 'programs',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...PAGES, ...LEFT_OUT],
          // Loading the service takes as long as testing it, so the files share its modules. These keep no state.
          isolate: false,
        },
      },
    ],
    globalSetup: ['test/service/support/global-setup.ts'],
    // `npm run fuzz` is the long run of its files.
    env: {
      ...(mode === 'fuzz' && { TEST_LONG: '1' }),
      ...(NAMES_FILES && { TEST_NAMES_FILES: '1' }),
    },
    setupFiles: ['test/each-file.ts'],
    // One more than there are cores, because files wait for processes and for the database.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    // Long timeouts, for busy machines. A test that gets what it waits for goes on at once.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: PATIENTLY.timeout } },
    restoreMocks: true,
    unstubGlobals: true,
    // What the browser tests cover as well is not in the figures.
    coverage: {
      // Only the long run needs it, so it is in .ci/tools/.
      provider: 'custom',
      customProviderModule: resolve('.ci/tools/node_modules/@vitest/coverage-v8/dist/index.js'),
      include: ['src/**/*.ts'],
      exclude: ['src/locales/*.ts', '**/*.d.ts'],
      // The table has only the files with a gap, so that the end of a run shows what is missing.
      reporter: [['text', { skipFull: true }], 'json-summary'],
      reportsDirectory: 'test-results/coverage',
      // One run says all that is wrong.
      reportOnFailure: true,
      thresholds: thresholds(),
    },
  },
}));
