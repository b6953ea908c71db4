/** The widget: its script, its module, and the hashes of all scripts of this version. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import * as esbuild from 'esbuild';
import { browser, inputsOf, version } from './esbuild.mjs';
import { captchas, DEBUG_SCRIPT, languages } from './scripts.mjs';
import { minifyBundle } from './terse.mjs';

/** The entry of the module. */
const MODULE = 'src/widget/index.ts';

/** The entry of the face. */
const FACE = 'src/widget/face/index.ts';

/** What shows the status. A script tag and a module load the same file. */
export const FACE_SCRIPT = 'email-verify-widget-status.js';

/**
 * The face comes first, because the widget has its hash.
 *
 * @param made the folder of the scripts besides the widget, which are made first: the widget has the hash of one
 */
export async function makeWidget(out, made) {
  const face = await buildForBrowser(FACE, FACE_SCRIPT, 'esm', browser.define, out);
  const define = {
    ...browser.define,
    DEBUG_INTEGRITY: JSON.stringify(integrityOf(`${made}/${DEBUG_SCRIPT}`, 'sha256')),
    FACE_INTEGRITY: JSON.stringify(integrityOf(`${out}/${FACE_SCRIPT}`, 'sha256')),
  };
  const built = [
    face,
    await buildForBrowser('src/widget/main.ts', 'widget.js', 'iife', define, out),
    await buildForBrowser('src/widget/standalone.ts', 'widget-standalone.js', 'iife', define, out),
    await buildForBrowser(MODULE, 'index.js', 'esm', define, out),
  ];
  writeFileSync(`${out}/integrity.json`, `${JSON.stringify(integrities(out, made), null, 2)}\n`);
  return inputsOf(built);
}

/** Bundles and minifies one entry, and writes its source map. */
async function buildForBrowser(entry, name, format, define, out) {
  const bundled = await esbuild.build({
    ...browser,
    entryPoints: [entry],
    // The face may fail in a page that hides these. Verdicts and submissions may not.
    inject: entry === FACE ? [] : ['src/widget/platform.ts'],
    ...{ outfile: `dist/${name}`, format, define, sourcemap: 'inline', write: false },
  });
  const options = {
    module: format === 'esm',
    format: {
      // ASCII only, because some servers send no charset.
      ascii_only: true,
      // Chromium then compiles all functions beside the page's main thread. Otherwise each is compiled when it is first
      // called, which is half of the time in which the widget wakes.
      // https://v8.dev/blog/explicit-compile-hints
      ...(format === 'iife' ? { preamble: '//# allFunctionsCalledOnLoad' } : {}),
    },
    // A script names no map, which would take 25 bytes of it: the service does in a header. Bundlers read the module's.
    sourceMap: { content: 'inline', filename: name, ...(entry === MODULE ? { url: `${name}.map` } : {}) },
  };
  // Only one of the unsafe steps applies here: "a" + b for `a${b}`.
  const { code, map } = await minifyBundle(bundled.outputFiles[0].text, options, { unsafe: true });
  writeFileSync(`${out}/${name}`, code);
  writeFileSync(`${out}/${name}.map`, map);
  return bundled;
}

/** The hashes of this version's scripts, by their paths below `/v<version>/`. Pages use them as `integrity`. */
function integrities(out, made) {
  const scripts = [
    ...[...languages(), 'auto'].map((name) => `locales/${name}.js`),
    ...captchas().map((name) => `captcha/${name}.js`),
  ];
  const own = ['widget.js', 'widget-standalone.js', FACE_SCRIPT];
  const hashes = [
    ...own.map((script) => [script, integrityOf(`${out}/${script}`)]),
    ...scripts.map((script) => [script, integrityOf(`${made}/${script}`)]),
  ];
  return { version, integrity: Object.fromEntries(hashes) };
}

function integrityOf(file, hash = 'sha384') {
  return `${hash}-${createHash(hash).update(readFileSync(file)).digest('base64')}`;
}
