/** The widget: its script, its module, and the hashes of all scripts of this version. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import * as esbuild from 'esbuild';
import { browser, inputsOf, version } from './esbuild.mjs';
import { captchas, DEBUG_SCRIPT, languages } from './scripts.mjs';
import { minifyBundle } from './terse.mjs';

/** @param made the folder of the scripts besides the widget, which are made first: the widget has the hash of one. */
export async function makeWidget(out, made) {
  const define = {
    ...browser.define,
    DEBUG_INTEGRITY: JSON.stringify(integrityOf(`${made}/${DEBUG_SCRIPT}`, 'sha256')),
  };
  const built = [
    await buildForBrowser('src/widget/main.ts', 'widget.js', 'iife', define, out),
    await buildForBrowser('src/widget/index.ts', 'index.js', 'esm', define, out),
  ];
  writeFileSync(`${out}/integrity.json`, `${JSON.stringify(integrities(out, made), null, 2)}\n`);
  return inputsOf(built);
}

/** Bundles and minifies one entry, and writes its source map. */
async function buildForBrowser(entry, name, format, define, out) {
  const bundled = await esbuild.build({
    ...browser,
    entryPoints: [entry],
    outfile: `dist/${name}`,
    format,
    define,
    sourcemap: 'inline',
    write: false,
  });
  const options = {
    module: format === 'esm',
    // ASCII only, because some servers send no charset.
    format: { ascii_only: true },
    sourceMap: { content: 'inline', filename: name, url: `${name}.map` },
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
  const hashes = [
    ['widget.js', integrityOf(`${out}/widget.js`)],
    ...scripts.map((script) => [script, integrityOf(`${made}/${script}`)]),
  ];
  return { version, integrity: Object.fromEntries(hashes) };
}

function integrityOf(file, hash = 'sha384') {
  return `${hash}-${createHash(hash).update(readFileSync(file)).digest('base64')}`;
}
