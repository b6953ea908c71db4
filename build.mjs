/**
 * Builds everything that is run or published, and holds the widget to its size.
 *
 *   node build.mjs             build all
 *   node build.mjs --if-stale  build only when a source is newer than the last build
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

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

/** Safari 14.1, Firefox 90 and Chromium 90 on: two years older than what the widget's own tests can run. */
const browser = {
  bundle: true,
  minify: true,
  sourcemap: true,
  target: 'es2020',
  plugins: [cssText],
  logLevel: 'warning',
};

await Promise.all([
  esbuild.build({
    ...browser,
    entryPoints: ['src/widget/main.ts'],
    outfile: 'dist/widget.js',
    format: 'iife',
  }),
  esbuild.build({
    ...browser,
    entryPoints: ['src/widget/index.ts'],
    outfile: 'dist/index.js',
    format: 'esm',
  }),
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
