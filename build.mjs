/**
 * Builds everything that is run or published, and holds the widget to its size.
 *
 *   node build.mjs             build all
 *   node build.mjs --if-stale  build only when a source is newer than the last build
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { minify } from 'terser';
import { rawText } from './src/house/raw.mjs';
import { processCode } from './src/service/dashboard/lists/reading/bundle.mjs';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

/** What a visitor's first load of the script may weigh, in bytes with brotli. The goal is 8,192: bench/results.md. */
const WIDGET_BUDGET = 10_400;
/** The same for the script of one language, and for the one that holds them all. */
const LOCALE_BUDGET = 600;
const ALL_LOCALES_BUDGET = 3_500;
/** Nobody's visitors load it: so that it does not grow unseen. */
const DEBUG_BUDGET = 4_500;
/** The same for a framework's entry, and for one captcha's. */
const COMPONENTS_BUDGET = 2_000;
const CAPTCHA_BUDGET = 1_800;
/** The dashboard's script. With HTML and style sheets, a page stays below 100 kB. */
const DASHBOARD_BUDGET = 30_000;
const STAMP = 'dist/.built';
/** The folders that are built from. */
const SOURCES = ['src', 'test/engine/world'];

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);

mkdirSync('dist', { recursive: true });
// The reference is made by itself (`npm run reference`), and knows by itself when it is stale.
for (const name of readdirSync('dist').filter((name) => name !== 'reference'))
  rmSync(`dist/${name}`, { recursive: true });
for (const folder of ['locales', 'captcha', 'demo-libraries']) {
  mkdirSync(`dist/${folder}`, { recursive: true });
}
// The demo shows a form in Bootstrap's own looks.
copyFileSync('node_modules/bootstrap/dist/css/bootstrap.min.css', 'dist/demo-libraries/bootstrap.min.css');

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

/** What the module loads only when it is asked to: a file beside it, which bundlers make a chunk of its own. */
const debugBeside = {
  name: 'debug-beside',
  setup(build) {
    build.onResolve({ filter: /\/debug\/index\.ts$/, namespace: 'file' }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './debug.mjs', external: true } : undefined,
    );
  },
};

/** The supported browsers are stated in package.json, as `chrome >= 131`. */
const { browserslist, version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** esbuild bundles, and leaves the compressing to terser, which makes the script a twelfth smaller. */
const browser = {
  bundle: true,
  minifySyntax: true,
  target: browserslist.map((browser) => browser.replace(' >= ', '')),
  // They all know them; esbuild thinks of the first of iOS 18, which lack some.
  supported: { 'regexp-unicode-property-escapes': true },
  define: { VERSION: JSON.stringify(version) },
  plugins: [cssText, debugBeside],
  logLevel: 'warning',
  sourcemap: 'inline',
  // Not strict: what a hostile page has frozen is left as it is, without an exception. It is the smaller, too.
  tsconfigRaw: { compilerOptions: { alwaysStrict: false, useDefineForClassFields: false } },
  write: false,
};

/** What runs in Node loads its packages from node_modules. */
const node = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  define: { VERSION: JSON.stringify(version) },
  logLevel: 'warning',
};

/**
 * Properties that no page, no browser and no other file ever sees begin with an underscore, and go by a letter in the
 * bundle. All others keep their names, so that a property that somebody forgets to mark costs bytes and breaks nothing.
 */
const INTERNAL = /^_[a-z]/;

/** Those that have an entry of their own, in a folder of that name. */
const FRAMEWORKS = ['react', 'vue'];

/** Loaded by the widget's script, which holds it to this digest: so it comes first. */
const DEBUG_SCRIPT = 'dist/email-verify-widget-debug.js';
await buildDebug('script', DEBUG_SCRIPT, 'iife');
browser.define.DEBUG_INTEGRITY = JSON.stringify(integrityOf(DEBUG_SCRIPT, 'sha256'));

await Promise.all([
  buildForBrowser('src/widget/main.ts', 'dist/widget.js', 'iife'),
  buildForBrowser('src/widget/index.ts', 'dist/index.js', 'esm'),
  buildForNode(),
  buildWorld(),
  ...languages().map(buildLocale),
  buildAllLocales(),
  buildDebug('index', 'dist/debug.mjs', 'esm'),
  buildTestingKit(),
  ...captchas().map(buildCaptcha),
  ...FRAMEWORKS.map(buildComponents),
  buildDashboard(),
]);

cpSync('src/service/docs/page', 'dist/docs', { recursive: true });
for (const project of ['tsconfig.types.json', 'tsconfig.types-testing.json'])
  run('tsc', ['--project', project]);
writeTypes('index', 'widget');
for (const framework of FRAMEWORKS) writeTypes(framework);
writeFileSync('dist/integrity.json', `${JSON.stringify(integrities(), null, 2)}\n`);

const overweight = [
  weigh('dist/widget.js', WIDGET_BUDGET),
  weigh(DEBUG_SCRIPT, DEBUG_BUDGET),
  weighLocales(),
  weighAll('dist', FRAMEWORKS, COMPONENTS_BUDGET),
  weighAll('dist/captcha', captchas(), CAPTCHA_BUDGET),
  weigh('dist/dashboard.js', DASHBOARD_BUDGET),
];
if (overweight.includes(true)) process.exit(1);
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
      // `typeof value === 'string'` is written so all over: it compresses as it stands.
      lhs_constants: false,
      // Of its unsafe steps, one finds work here: "a" + b for `a${b}`.
      unsafe: true,
      unsafe_arrows: true,
      keep_fargs: false,
      hoist_funs: true,
      inline: 1,
      sequences: false,
    },
    // One server's missing charset must not spoil a text.
    format: { ascii_only: true },
    mangle: { properties: { builtins: true, regex: INTERNAL } },
    sourceMap: { content: 'inline', filename: basename(file), url: `${basename(file)}.map` },
  });
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, map);
}

/** The service and the commands. What only a database needs is in files of its own, loaded where there is one. */
function buildForNode() {
  return esbuild.build({
    ...node,
    entryPoints: ['src/service/main.ts', 'src/admin/main.ts', 'src/check/main.ts'],
    outdir: 'dist',
    outbase: 'src',
    chunkNames: 'service/parts/[name]-[hash]',
    plugins: [cssText, processCode, rawText],
    splitting: true,
  });
}

/** The engine's small Internet on loopback, as a command. It is part of the tests, and is not published. */
function buildWorld() {
  return esbuild.build({ ...node, entryPoints: ['test/engine/world/main.ts'], outdir: 'dist/world' });
}

/** What a page that embeds this very version can hold each script to, by its path below `/v<version>/`. */
function integrities() {
  const scripts = [
    'widget.js',
    ...[...languages(), 'auto'].map((name) => `locales/${name}.js`),
    ...captchas().map((name) => `captcha/${name}.js`),
  ];
  const hashes = scripts.map((script) => [script, integrityOf(`dist/${script}`)]);
  return { version, integrity: Object.fromEntries(hashes) };
}

function integrityOf(file, hash = 'sha384') {
  return `${hash}-${createHash(hash).update(readFileSync(file)).digest('base64')}`;
}

/** The languages that there are texts in: each is a file of that name. */
function languages() {
  return readdirSync('src/locales').flatMap((name) => /^([a-z]{2,3})\.ts$/.exec(name)?.[1] ?? []);
}

/** One language: as a script that gives its texts to the page's widget, and as a module that just has them. */
function buildLocale(language) {
  const script = `
    import texts from './${language}.ts';
    import { giveLocale } from './page/command.ts';
    giveLocale({ ${language}: texts });`;
  return buildPair('locales', language, script, `export { default } from './${language}.ts';`);
}

/** All languages in one, of which the page's is taken. */
function buildAllLocales() {
  const script = `
    import { LOCALES } from './page/every-language.ts';
    import { giveLocale } from './page/command.ts';
    giveLocale(LOCALES);`;
  return buildPair('locales', 'auto', script, `export * from './auto.ts';`);
}

/** The captcha providers that there is a helper for: each is a file of that name. */
function captchas() {
  return readdirSync('src/captcha').flatMap((name) => /^([a-z][a-z0-9-]+)\.ts$/.exec(name)?.[1] ?? []);
}

/** One captcha: as a script that gives it to the page's widget, and as a module that exports it by its name. */
function buildCaptcha(file) {
  const name = file.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const script = `
    import { ${name} } from './${file}.ts';
    import { giveCaptcha } from './page/command.ts';
    giveCaptcha('${name}', ${name});`;
  return buildPair('captcha', file, script, `export * from './${file}.ts';`);
}

/** A framework's entry: an import of the framework and of the widget, neither of which is in it. */
function buildComponents(framework) {
  return esbuild.build({
    ...browser,
    entryPoints: [`src/${framework}/index.ts`],
    outfile: `dist/${framework}.js`,
    format: 'esm',
    external: [framework, 'email-verify-widget'],
    minify: true,
    sourcemap: false,
    write: true,
  });
}

function writeTypes(entry, folder = entry) {
  writeFileSync(`dist/${entry}.d.ts`, `export * from './types/${folder}/index.js';\n`);
}

/**
 * `<name>.js` for a script tag, as widget.js is; `<name>.mjs` for an import. In ASCII throughout, so that the texts
 * arrive whole on pages of any encoding, from servers that name none. Without source maps: they are small.
 */
function buildPair(folder, name, script, module) {
  const build = (contents, extension, format) =>
    esbuild.build({
      ...browser,
      stdin: { contents, resolveDir: `src/${folder}` },
      outfile: `dist/${folder}/${name}.${extension}`,
      format,
      minify: true,
      charset: 'ascii',
      sourcemap: false,
      write: true,
    });
  return Promise.all([build(script, 'js', 'iife'), build(module, 'mjs', 'esm')]);
}

/** What says aloud what the widget does: for a script tag before the widget's, and as a module. */
function buildDebug(entry, outfile, format) {
  const entryPoints = [`src/debug/${entry}.ts`];
  return esbuild.build({
    ...browser,
    entryPoints,
    outfile,
    format,
    minify: true,
    sourcemap: false,
    write: true,
  });
}

/** What makes the dashboard's pages better where scripts run. */
function buildDashboard() {
  return esbuild.build({
    ...browser,
    entryPoints: ['src/dashboard/main.ts'],
    outfile: 'dist/dashboard.js',
    format: 'esm',
    minify: true,
    sourcemap: false,
    write: true,
  });
}

/** The testing kit: nothing but Node, and what its users test with already. */
function buildTestingKit() {
  return esbuild.build({
    entryPoints: ['index', 'msw', 'playwright'].map((name) => `src/testing/${name}.ts`),
    outdir: 'dist/testing',
    bundle: true,
    // What they have in common is there once: a sandbox is the same to all.
    splitting: true,
    chunkNames: 'shared-[hash]',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    external: ['node:*'],
    logLevel: 'warning',
  });
}

/** True when nothing that goes into the build has changed since it was made. */
function isFresh() {
  const builtAt = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    builtAt > Math.max(...[...SOURCES, 'build.mjs', 'package-lock.json', 'tsconfig.json'].map(newestChange))
  );
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
  const brotli = brotliSize(file);
  console.error(
    `${file}: ${raw.length} B, gzip ${gzipSync(raw, { level: 9 }).length} B, brotli ${brotli} B (budget ${budget} B)`,
  );
  return isOverweight(file, budget);
}

/** The same for the scripts of all languages, in one line. */
function weighLocales() {
  const files = [...languages(), 'auto'].map((name) => `dist/locales/${name}.js`);
  const sizes = files.map((file) => `${basename(file, '.js')} ${brotliSize(file)}`).join(', ');
  console.error(
    `dist/locales/*.js: brotli ${sizes} B (budget ${LOCALE_BUDGET} B, auto ${ALL_LOCALES_BUDGET} B)`,
  );
  const budgetOf = (file) => (basename(file) === 'auto.js' ? ALL_LOCALES_BUDGET : LOCALE_BUDGET);
  return files.filter((file) => isOverweight(file, budgetOf(file))).length > 0;
}

/** The same for small files of one kind, in one line. */
function weighAll(folder, names, budget) {
  const files = names.map((name) => `${folder}/${name}.js`);
  const sizes = files.map((file) => `${basename(file, '.js')} ${brotliSize(file)}`).join(', ');
  console.error(`${folder}: brotli ${sizes} B (budget ${budget} B)`);
  return files.filter((file) => isOverweight(file, budget)).length > 0;
}

/** Whether a file weighs more than it may; says so when it does. */
function isOverweight(file, budget) {
  const excess = brotliSize(file) - budget;
  if (excess > 0) console.error(`${file} is ${excess} B over its budget: take something out of it.`);
  return excess > 0;
}

function brotliSize(file) {
  return brotliCompressSync(readFileSync(file)).length;
}

/** Runs a tool of node_modules/.bin, and ends the build when it fails. */
function run(tool, parameters) {
  const { status } = spawnSync(process.execPath, [`node_modules/typescript/bin/${tool}`, ...parameters], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
