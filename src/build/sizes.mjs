/** The size limits of what pages load, and their servers. The build fails above them, and a start does not: who tries a change weighs it later. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { captchas, DEBUG_SCRIPT, FRAMEWORKS, languages } from './scripts.mjs';

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
/** What a page's server imports. Functions at the edge are loaded for a single request. */
const SERVER_BUDGET = 4_000;
/** The dashboard's script. With HTML and style sheets, a page stays below 100 kB. */
const DASHBOARD_BUDGET = 30_000;

/** Prints all sizes. @returns whether one exceeds its budget */
export function weighAll() {
  return [
    weigh('dist/widget.js', WIDGET_BUDGET),
    weigh(`dist/${DEBUG_SCRIPT}`, DEBUG_BUDGET),
    weighLocales(),
    weighFolder('dist', FRAMEWORKS, COMPONENTS_BUDGET),
    weighFolder('dist/captcha', captchas(), CAPTCHA_BUDGET),
    weigh('dist/server.js', SERVER_BUDGET),
    weigh('dist/dashboard.js', DASHBOARD_BUDGET),
  ].includes(true);
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
  const excess = brotliSize(file) - budget;
  if (excess > 0) console.error(`${file} is ${excess} B over its budget: take something out of it.`);
  return excess > 0;
}

function brotliSize(file) {
  return brotliCompressSync(readFileSync(file)).length;
}
