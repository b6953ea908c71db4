/**
 * Builds everything that is run or published. Fails if the widget exceeds its size budget.
 *
 *   node build.mjs             build all
 *   node build.mjs --if-stale  build only when a source is newer than the last build
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { minify } from 'terser';
import { rawText } from './src/house/raw.mjs';
import { processCode } from './src/service/dashboard/lists/reading/bundle.mjs';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));

/** The size limit of the widget's script, in bytes with brotli. The target is 8,192, and bench/size.md says why it is missed. */
const WIDGET_BUDGET = 10_400;
/** The same for the script of one language, and for the script with all languages. */
const LOCALE_BUDGET = 600;
const ALL_LOCALES_BUDGET = 3_500;
/** Visitors do not load this file. The limit only shows when it grows. */
const DEBUG_BUDGET = 4_500;
/** The same for a framework's entry, and for one captcha's. */
const COMPONENTS_BUDGET = 2_000;
const CAPTCHA_BUDGET = 1_800;
/** The dashboard's script. With HTML and style sheets, a page stays below 100 kB. */
const DASHBOARD_BUDGET = 30_000;
const STAMP = 'dist/.built';
/** The files and folders with the sources of the build. */
const SOURCES = ['src', 'test/engine/world', 'docs', 'deploy', 'CHANGELOG.md'];

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);

mkdirSync('dist', { recursive: true });
// `npm run reference` makes the reference, and checks itself whether it is stale.
for (const name of readdirSync('dist').filter((name) => name !== 'reference'))
  rmSync(`dist/${name}`, { recursive: true });
for (const folder of ['locales', 'captcha', 'demo-libraries']) {
  mkdirSync(`dist/${folder}`, { recursive: true });
}
// The demo shows a form in the style of Bootstrap.
copyFileSync('node_modules/bootstrap/dist/css/bootstrap.min.css', 'dist/demo-libraries/bootstrap.min.css');

/** `import css from './x.css'` gives the minified text, for a constructable style sheet. */
const cssText = {
  name: 'css-text',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

/** The module loads this file only for the option `debug`. Bundlers put it into a separate chunk. */
const debugBeside = {
  name: 'debug-beside',
  setup(build) {
    build.onResolve({ filter: /\/debug\/index\.ts$/, namespace: 'file' }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './debug.mjs', external: true } : undefined,
    );
  },
};

/** package.json lists the supported browsers, such as `chrome >= 131`. */
const { browserslist, version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** esbuild bundles, and terser minifies, which makes the script a twelfth smaller. */
const browser = {
  bundle: true,
  minifySyntax: true,
  target: browserslist.map((browser) => browser.replace(' >= ', '')),
  // All supported browsers have these. esbuild assumes the first versions of iOS 18, which lack some.
  supported: { 'regexp-unicode-property-escapes': true },
  define: { VERSION: JSON.stringify(version) },
  plugins: [cssText, debugBeside],
  logLevel: 'warning',
  sourcemap: 'inline',
  // Not strict, so that writing to an object that a page has frozen throws no exception. This is also smaller.
  tsconfigRaw: { compilerOptions: { alwaysStrict: false, useDefineForClassFields: false } },
  write: false,
};

/** Code for Node. It loads its packages from node_modules. */
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
 * Properties that no page, no browser and no other bundle reads begin with an underscore. The bundle shortens them to a
 * letter. All others keep their names, so a property without an underscore costs bytes and breaks nothing.
 */
const INTERNAL = /^_[a-z]/;

/** The frameworks that have an entry. Each has a folder with its name. */
const FRAMEWORKS = ['react', 'vue'];

/** The widget's script contains the hash of this file, so this file is built first. */
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

await buildDocs();
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

/** Bundles and minifies one entry, and writes its source map. */
async function buildForBrowser(entry, file, format) {
  const bundled = await esbuild.build({ ...browser, entryPoints: [entry], outfile: file, format });
  const { code, map } = await minify(bundled.outputFiles[0].text, {
    ecma: 2020,
    module: format === 'esm',
    toplevel: true,
    compress: {
      ecma: 2020,
      passes: 3,
      // Keeps `typeof value === 'string'` as it is everywhere, which compresses better.
      lhs_constants: false,
      // Only one of the unsafe steps applies here: "a" + b for `a${b}`.
      unsafe: true,
      unsafe_arrows: true,
      keep_fargs: false,
      hoist_funs: true,
      inline: 1,
      sequences: false,
    },
    // ASCII only, because some servers send no charset.
    format: { ascii_only: true },
    mangle: { properties: { builtins: true, regex: INTERNAL } },
    sourceMap: { content: 'inline', filename: basename(file), url: `${basename(file)}.map` },
  });
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, map);
}

/** The service and the commands. Code for the database is in separate files, which are loaded only with a database. */
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

/** The documentation that the service serves. A link that leads nowhere ends the build. */
async function buildDocs() {
  const outfile = 'dist/make-docs.mjs';
  await esbuild.build({ ...node, entryPoints: ['docs/site/make.ts'], outfile, sourcemap: false });
  const { makeDocs } = await import(pathToFileURL(resolve(outfile)));
  rmSync(outfile);
  const faults = makeDocs('dist/docs');
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exit(1);
}

/** The scripted name servers and mail servers on loopback, as a command. They belong to the tests and are not published. */
function buildWorld() {
  return esbuild.build({ ...node, entryPoints: ['test/engine/world/main.ts'], outdir: 'dist/world' });
}

/** The hashes of this version's scripts, by their paths below `/v<version>/`. Pages use them as `integrity`. */
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

/** The languages with texts. Each is a file with the language's name. */
function languages() {
  return readdirSync('src/locales').flatMap((name) => /^([a-z]{2,3})\.ts$/.exec(name)?.[1] ?? []);
}

/** One language: a script that gives its texts to the page's widget, and a module that exports them. */
function buildLocale(language) {
  const script = `
    import texts from './${language}.ts';
    import { giveLocale } from './page/command.ts';
    giveLocale({ ${language}: texts });`;
  return buildPair('locales', language, script, `export { default } from './${language}.ts';`);
}

/** All languages in one file, which uses the page's language. */
function buildAllLocales() {
  const script = `
    import { LOCALES } from './page/every-language.ts';
    import { giveLocale } from './page/command.ts';
    giveLocale(LOCALES);`;
  return buildPair('locales', 'auto', script, `export * from './auto.ts';`);
}

/** The captcha providers with a helper. Each is a file with the provider's name. */
function captchas() {
  return readdirSync('src/captcha').flatMap((name) => /^([a-z][a-z0-9-]+)\.ts$/.exec(name)?.[1] ?? []);
}

/** One captcha helper: a script that gives it to the page's widget, and a module that exports it. */
function buildCaptcha(file) {
  const name = file.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const script = `
    import { ${name} } from './${file}.ts';
    import { giveCaptcha } from './page/command.ts';
    giveCaptcha('${name}', ${name});`;
  return buildPair('captcha', file, script, `export * from './${file}.ts';`);
}

/** A framework's entry. It imports the framework and the widget, and contains neither. */
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
 * `<name>.js` for a script tag, like widget.js, and `<name>.mjs` for an import. They are ASCII, so that the texts are
 * correct in pages of any encoding. They are too small for source maps.
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

/** The file for the option `debug`: for a script tag, and as a module. */
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

/** The dashboard's script. Its pages also work without scripts. */
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

/** The testing kit. It needs only Node, and the test tools that its users have. */
function buildTestingKit() {
  return esbuild.build({
    entryPoints: ['index', 'msw', 'playwright'].map((name) => `src/testing/${name}.ts`),
    outdir: 'dist/testing',
    bundle: true,
    // Shared code exists once, so that all entries use the same sandbox.
    splitting: true,
    chunkNames: 'shared-[hash]',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    external: ['node:*'],
    logLevel: 'warning',
  });
}

/** Whether no source has changed since the last build. */
function isFresh() {
  const builtAt = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    builtAt > Math.max(...[...SOURCES, 'build.mjs', 'package-lock.json', 'tsconfig.json'].map(newestChange))
  );
}

/** The time of the latest change of a file, or below a folder. Removing a file changes its folder's time. */
function newestChange(path) {
  const stat = statSync(path);
  if (!stat.isDirectory() || path.endsWith('node_modules')) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

/** Prints the size of a file. @returns whether it exceeds its budget */
function weigh(file, budget) {
  const raw = readFileSync(file);
  const brotli = brotliSize(file);
  console.error(
    `${file}: ${raw.length} B, gzip ${gzipSync(raw, { level: 9 }).length} B, brotli ${brotli} B (budget ${budget} B)`,
  );
  return isOverweight(file, budget);
}

/** Does the same for the scripts of all languages, in one line. */
function weighLocales() {
  const files = [...languages(), 'auto'].map((name) => `dist/locales/${name}.js`);
  const sizes = files.map((file) => `${basename(file, '.js')} ${brotliSize(file)}`).join(', ');
  console.error(
    `dist/locales/*.js: brotli ${sizes} B (budget ${LOCALE_BUDGET} B, auto ${ALL_LOCALES_BUDGET} B)`,
  );
  const budgetOf = (file) => (basename(file) === 'auto.js' ? ALL_LOCALES_BUDGET : LOCALE_BUDGET);
  return files.filter((file) => isOverweight(file, budgetOf(file))).length > 0;
}

/** Does the same for small files of one kind, in one line. */
function weighAll(folder, names, budget) {
  const files = names.map((name) => `${folder}/${name}.js`);
  const sizes = files.map((file) => `${basename(file, '.js')} ${brotliSize(file)}`).join(', ');
  console.error(`${folder}: brotli ${sizes} B (budget ${budget} B)`);
  return files.filter((file) => isOverweight(file, budget)).length > 0;
}

/** Whether a file exceeds its budget. If so, prints by how much. */
function isOverweight(file, budget) {
  const excess = brotliSize(file) - budget;
  if (excess > 0) console.error(`${file} is ${excess} B over its budget: take something out of it.`);
  return excess > 0;
}

function brotliSize(file) {
  return brotliCompressSync(readFileSync(file)).length;
}

/** Runs a tool of node_modules/.bin. If it fails, the build ends. */
function run(tool, parameters) {
  const { status } = spawnSync(process.execPath, [`node_modules/typescript/bin/${tool}`, ...parameters], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
