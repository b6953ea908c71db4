import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { bundleProcess } from './src/service/dashboard/lists/reading/bundle.mjs';

/**
 * What the unit tests cover of each folder, in percent: lines, branches, functions, statements. Below it, they fail.
 * Each figure is just under what was measured, so a real drop shows. When coverage rises, raise the figure.
 */
const COVERED: Readonly<Record<string, readonly [number, number, number, number]>> = {
  src: [84, 82, 82, 83],
  'src/admin': [95, 93, 94, 95],
  'src/captcha': [96, 84, 93, 94],
  'src/components': [64, 71, 58, 66],
  'src/crypto': [100, 100, 100, 100],
  'src/debug': [8, 14, 8, 10],
  'src/engine': [98, 97, 97, 98],
  'src/engine/address': [100, 100, 100, 100],
  'src/engine/dns': [100, 96, 100, 99],
  'src/engine/doctor': [100, 100, 100, 100],
  'src/engine/facts': [100, 97, 98, 99],
  'src/engine/pacing': [99, 100, 93, 98],
  'src/engine/replies': [100, 100, 100, 100],
  'src/engine/smtp': [99, 95, 97, 98],
  'src/interface': [100, 100, 100, 100],
  'src/locales/page': [100, 100, 100, 100],
  'src/network': [100, 100, 100, 100],
  'src/sample': [100, 100, 100, 100],
  'src/service': [90, 84, 89, 88],
  'src/service/access': [99, 96, 99, 98],
  'src/service/accounts': [99, 93, 99, 99],
  'src/service/batch': [98, 95, 98, 98],
  'src/service/batch/callbacks': [98, 96, 98, 98],
  'src/service/batch/download': [99, 98, 98, 99],
  'src/service/batch/live': [98, 97, 97, 98],
  'src/service/batch/manage': [99, 96, 99, 99],
  'src/service/batch/overview': [100, 98, 100, 100],
  'src/service/batch/stored-address': [98, 95, 98, 98],
  'src/service/billing': [99, 96, 99, 99],
  'src/service/captcha': [100, 100, 100, 100],
  'src/service/config': [91, 80, 86, 88],
  'src/service/consent': [98, 94, 98, 97],
  'src/service/credits': [99, 93, 99, 99],
  'src/service/dashboard/settings': [98, 95, 98, 98],
  'src/service/dashboard/verify': [98, 95, 98, 98],
  'src/service/dashboard/apps': [98, 92, 98, 98],
  'src/service/dashboard/keys': [98, 95, 98, 98],
  'src/service/dashboard/audit': [99, 98, 99, 99],
  'src/service/dashboard/charts': [99, 98, 97, 98],
  'src/service/dashboard/overview': [99, 97, 99, 98],
  'src/service/dashboard/usage': [99, 98, 99, 99],
  'src/service/database': [87, 79, 84, 85],
  'src/service/database/backup': [99, 94, 96, 98],
  'src/service/database/embedded': [81, 70, 76, 78],
  'src/service/files': [100, 93, 97, 98],
  'src/service/http': [97, 86, 93, 95],
  'src/service/idempotency': [99, 96, 99, 99],
  'src/service/jobs': [98, 98, 98, 98],
  'src/service/keys': [99, 92, 99, 96],
  'src/service/limits': [98, 98, 98, 98],
  'src/service/metrics': [98, 93, 96, 97],
  'src/service/oauth': [98, 95, 97, 97],
  'src/service/operations': [98, 98, 98, 98],
  'src/service/overview': [100, 98, 100, 100],
  'src/service/pages': [98, 97, 98, 98],
  'src/service/sessions': [98, 98, 98, 98],
  'src/service/sign-in': [98, 95, 98, 98],
  'src/service/usage': [99, 98, 99, 99],
  'src/service/verify': [98, 96, 97, 97],
  'src/service/verify/live': [97, 95, 96, 97],
  'src/service/without-database': [98, 98, 98, 98],
  'src/testing': [88, 81, 86, 86],
  'src/widget': [96, 92, 95, 96],
  'src/widget/check': [98, 98, 98, 98],
  'src/widget/effects': [94, 85, 92, 92],
};

/** Files that take 15 seconds or more, most of them by waiting for processes. They start first: begun last, one of them keeps a core idle. */
const SLOWEST = [
  'test/service/roles/stopping.test.ts',
  'test/service/main-database.test.ts',
  'test/docs/batch.test.ts',
  'test/admin/backup.test.ts',
  'test/service/roles/roles.test.ts',
  'test/service/database/database.test.ts',
  'test/docs/oauth.test.ts',
  'test/service/main.test.ts',
  'test/service/dashboard/lists/reading/reader.test.ts',
  'test/service/batch/live/engine.test.ts',
  'test/service/stop.test.ts',
];

/** The folders of tests of programs that run in Node. */
const PROGRAMS = [
  'admin',
  'check',
  'crypto',
  'engine',
  'interface',
  'network',
  'release',
  'sample',
  'service',
];
/** Files there that replace modules, measure memory or processor time, or set up something for their worker. */
const ALONE = [
  'test/service/database/embedded*.test.ts',
  'test/service/database/embedded/**/*.test.ts',
  'test/service/files/compressed.test.ts',
  'test/service/fuzz.test.ts',
  'test/service/heap.test.ts',
  'test/service/hostile-sizes.test.ts',
  // They collect garbage, which takes seconds in a worker that has run other files.
  'test/service/keys/config-keys.test.ts',
];
const DATABASE = 'test/service/support/global-setup.ts';

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => SLOWEST.some((file) => moduleId.endsWith(file));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

function thresholds() {
  const areas = Object.entries(COVERED).map(([folder, [lines, branches, functions, statements]]) => {
    // A pattern that matches no file would be met by anything.
    if (!existsSync(folder)) throw new Error(`Expected the folder ${folder}, got none. Mend COVERED.`);
    return [`${folder}/**`, { lines, branches, functions, statements }] as const;
  });
  return Object.fromEntries(areas);
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
      { find: /^email-verify-widget$/, replacement: resolve('src/widget/index.ts') },
      { find: /^email-verify-widget\/(testing|debug)$/, replacement: resolve('src/$1/index.ts') },
      { find: /^email-verify-widget\/testing\/(\w+)$/, replacement: resolve('src/testing/$1.ts') },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        // A project does not get the mode of the command line by itself.
        mode,
        test: {
          name: 'programs',
          include: PROGRAMS.map((folder) => `test/${folder}/**/*.test.ts`),
          exclude: ALONE,
          // Loading the service takes as long as testing it, so the files share its modules. These keep no state.
          isolate: false,
          globalSetup: [DATABASE],
        },
      },
      {
        extends: true,
        mode,
        test: {
          name: 'alone',
          include: ['test/*.test.ts', `test/!(${PROGRAMS.join('|')})/**/*.test.ts`, ...ALONE],
          globalSetup: [DATABASE],
        },
      },
    ],
    setupFiles: ['test/each-file.ts'],
    // The tests use all cores. With more workers, tests that measure time would wait for each other.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: SlowestFirst },
    // Long timeouts, for busy machines. A test that gets what it waits for goes on at once.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
    // What the browser tests cover as well is not in the figures.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/locales/*.ts', '**/*.d.ts'],
      reporter: ['text'],
      reportsDirectory: 'test-results/coverage',
      thresholds: thresholds(),
    },
  },
}));
