/** The size limits of what pages load, and their servers. The build fails above them, and a start does not: who tries a change weighs it later. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { browser } from './esbuild.mjs';
import { captchas, DEBUG_SCRIPT, FRAMEWORKS, languages } from './scripts.mjs';
import { FACE_SCRIPT } from './widget.mjs';

/** The size limit of the widget's script, in bytes with brotli. */
const WIDGET_BUDGET = 8_192;
/** The same for its face, which visitors load when they first use an input. */
const FACE_BUDGET = 3_300;
/** The same for the script of one language, and for the script with all languages. */
const LOCALE_BUDGET = 600;
const ALL_LOCALES_BUDGET = 3_500;
/** Visitors do not load this file. The limit only shows when it grows. */
const DEBUG_BUDGET = 4_500;
/** The same for a framework's entry, and for one captcha's. */
const COMPONENTS_BUDGET = 2_000;
const CAPTCHA_BUDGET = 1_800;
/** What a page's server imports. Functions at the edge are loaded for a single request. */
const SERVER_BUDGET = 4_096;
/** The dashboard's script. With HTML and style sheets, a page stays below 100 kB. */
const DASHBOARD_BUDGET = 30_000;

/** The sizes in the last build that kept all budgets, by file. */
const LAST = 'dist/.made/sizes.json';
const last = existsSync(LAST) ? JSON.parse(readFileSync(LAST, 'utf8')) : {};
const present = {};

/** Prints all sizes. @returns whether one exceeds its budget */
export async function weighAll() {
  const isOver = [
    await weighParts('dist/widget.js', WIDGET_BUDGET, 'src/widget/main.ts'),
    await weighParts(`dist/${FACE_SCRIPT}`, FACE_BUDGET, 'src/widget/face/index.ts'),
    weigh('dist/widget-standalone.js', WIDGET_BUDGET + FACE_BUDGET),
    weigh(`dist/${DEBUG_SCRIPT}`, DEBUG_BUDGET),
    weighLocales(),
    weighFolder('dist', FRAMEWORKS, COMPONENTS_BUDGET),
    weighFolder('dist/captcha', captchas(), CAPTCHA_BUDGET),
    weigh('dist/server.js', SERVER_BUDGET),
    weigh('dist/dashboard.js', DASHBOARD_BUDGET),
  ].includes(true);
  if (!isOver) writeFileSync(LAST, JSON.stringify(present));
  return isOver;
}

/** Weighs a file. If it exceeds its budget, names its largest sources and what it had before. */
async function weighParts(file, budget, entry) {
  const isOver = weigh(file, budget);
  if (isOver) {
    const before = last[file] === undefined ? 'unknown' : `${last[file]} B`;
    console.error(`  In the last build within all budgets: ${before}. The largest parts, minified:`);
    for (const [source, bytes] of await largestParts(entry)) console.error(`  ${bytes} B  ${source}`);
  }
  return isOver;
}

/** The ten sources with the most bytes in a bundle. */
async function largestParts(entry) {
  const { metafile } = await esbuild.build({
    ...browser,
    define: { ...browser.define, DEBUG_INTEGRITY: '""', FACE_INTEGRITY: '""' },
    entryPoints: [entry],
    minify: true,
    write: false,
    outfile: 'dist/parts.js',
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.entries(inputs)
    .map(([source, { bytesInOutput }]) => [source.replace('css-text:', ''), bytesInOutput])
    .sort(([, one], [, other]) => other - one)
    .slice(0, 10);
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
function weighFolder(folder, names, budget) {
  const files = names.map((name) => `${folder}/${name}.js`);
  const sizes = files.map((file) => `${basename(file, '.js')} ${brotliSize(file)}`).join(', ');
  console.error(`${folder}: brotli ${sizes} B (budget ${budget} B)`);
  return files.filter((file) => isOverweight(file, budget)).length > 0;
}

/** Whether a file exceeds its budget. If so, prints by how much. */
function isOverweight(file, budget) {
  present[file] = brotliSize(file);
  const excess = present[file] - budget;
  if (excess > 0) console.error(`${file} is ${excess} B over its budget.`);
  return excess > 0;
}

function brotliSize(file) {
  return brotliCompressSync(readFileSync(file)).length;
}
