/**
 * Builds everything that is run or published, and holds the widget to its size.
 *
 *   node build.mjs             build all
 *   node build.mjs --if-stale  build only when a source is newer than the last build
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { minify } from 'terser';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

/** What a visitor's first load of the script may weigh, in bytes with brotli. */
const WIDGET_BUDGET = 8_000;
const STAMP = 'dist/.built';

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

/** `import css from './x.css'` gives the minified text: it goes into a constructable sheet, never into a <style>. */
const cssText = {
  name: 'css-text',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

/**
 * Constructable style sheets set the floor: Safari 16.4, Firefox 101, Chromium 99. esbuild bundles, and leaves the
 * compressing to terser, which makes the script a twentieth smaller.
 */
const browser = {
  bundle: true,
  minifySyntax: true,
  target: 'es2022',
  plugins: [cssText],
  logLevel: 'warning',
  sourcemap: 'inline',
  write: false,
};

/**
 * Properties that no page and no browser ever sees, and that may go by a letter. A name that is also the
 * browser's (left, parent, value) or in the interface has no place here.
 */
const INTERNAL = [
  ...['about', 'answer', 'shown'],
  ...[
    'address',
    'answers',
    'ask',
    'askers',
    'attempt',
    'browser',
    'cancel',
    'captchaToken',
    'changed',
    'closed',
  ],
  ...['committed', 'drop', 'entered', 'exchange', 'failure', 'fieldOf', 'fieldsOf', 'floating', 'focused'],
  ...[
    'giveBack',
    'guards',
    'isBlocking',
    'isClosed',
    'isOurs',
    'isPending',
    'keepLooking',
    'look',
    'optionsFor',
  ],
  ...['outcome', 'parses', 'pressed', 'recall', 'refresh', 'refused', 'render', 'report', 'result', 'settle'],
  ...[
    'settled',
    'settleIn',
    'submissions',
    'submitted',
    'suggestion',
    'suspend',
    'take',
    'template',
    'validate',
  ],
  'verdict',
];

await Promise.all([
  buildForBrowser('src/widget/main.ts', 'dist/widget.js', 'iife'),
  buildForBrowser('src/widget/index.ts', 'dist/index.js', 'esm'),
  esbuild.build({
    entryPoints: ['src/service/main.ts'],
    outfile: 'dist/service/main.js',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  }),
]);

run('tsc', ['--project', 'tsconfig.types.json']);
writeFileSync('dist/index.d.ts', "export * from './types/widget/index.js';\n");

const overweight = weigh('dist/widget.js', WIDGET_BUDGET);
if (overweight) process.exit(1);
writeFileSync(STAMP, '');

/** Bundles and compresses one entry, with its source map beside it. */
async function buildForBrowser(entry, file, format) {
  const bundled = await esbuild.build({ ...browser, entryPoints: [entry], outfile: file, format });
  const { code, map } = await minify(bundled.outputFiles[0].text, {
    ecma: 2020,
    module: format === 'esm',
    toplevel: true,
    compress: {
      ecma: 2020,
      passes: 3,
      // Of its unsafe steps, one finds work here: "a" + b for `a${b}`.
      unsafe: true,
      unsafe_arrows: true,
      unsafe_methods: true,
      keep_fargs: false,
      hoist_funs: true,
      inline: 1,
    },
    mangle: { properties: { builtins: true, regex: new RegExp(`^(${INTERNAL.join('|')})$`) } },
    sourceMap: { content: 'inline', filename: basename(file), url: `${basename(file)}.map` },
  });
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, map);
}

/** True when nothing that goes into the build has changed since it was made. */
function isFresh() {
  const builtAt = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return builtAt > Math.max(...['src', 'build.mjs', 'package-lock.json', 'tsconfig.json'].map(newestChange));
}

/** The latest change of a file, or of anything below a folder (a removed file shows in its folder's own time). */
function newestChange(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

/** Prints what a file weighs, and says whether that is more than it may. */
function weigh(file, budget) {
  const raw = readFileSync(file);
  const brotli = brotliCompressSync(raw).length;
  console.error(
    `${file}: ${raw.length} B, gzip ${gzipSync(raw, { level: 9 }).length} B, brotli ${brotli} B (budget ${budget} B)`,
  );
  if (brotli > budget)
    console.error(`${file} is ${brotli - budget} B over its budget: take something out of it.`);
  return brotli > budget;
}

/** Runs a tool of node_modules/.bin, and ends the build when it fails. */
function run(tool, parameters) {
  const { status } = spawnSync(process.execPath, [`node_modules/typescript/bin/${tool}`, ...parameters], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
