/** What the parts of the build share: the options of esbuild for pages and for Node. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import * as esbuild from 'esbuild';

/** package.json lists the supported browsers, such as `chrome >= 131`. */
const { browserslist, version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8'));

export const version = VERSION;

/** In the background of a start, the log of the service says what failed. Errors have the same words. */
const logLevel = isMainThread ? 'warning' : 'silent';

/** `import css from './x.css'` gives the minified text, for a constructable style sheet. */
export const cssText = {
  name: 'css-text',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
      // esbuild keeps the spaces in the fallbacks of custom properties.
      return { contents: code.trim().replaceAll(', ', ','), loader: 'text' };
    });
  },
};

/** What the module loads later, by the file that has it. Bundlers put each into a separate chunk. */
const LATER = { 'debug/index.ts': './debug.mjs', 'face/index.ts': './email-verify-widget-status.js' };
const filesBeside = {
  name: 'files-beside',
  setup(build) {
    build.onResolve({ filter: /\/(debug|face)\/index\.ts$/, namespace: 'file' }, ({ kind, path }) =>
      kind === 'dynamic-import'
        ? { path: LATER[path.split('/').slice(-2).join('/')], external: true }
        : undefined,
    );
  },
};

/** Code for pages. */
export const browser = {
  bundle: true,
  minifySyntax: true,
  target: browserslist.map((browser) => browser.replace(' >= ', '')),
  // All supported browsers have these. esbuild assumes the first versions of iOS 18, which lack some.
  supported: { 'regexp-unicode-property-escapes': true },
  define: { VERSION: JSON.stringify(version) },
  plugins: [cssText, filesBeside],
  logLevel,
  metafile: true,
  // Not strict, so that writing to an object that a page has frozen throws no exception. This is also smaller.
  tsconfigRaw: { compilerOptions: { alwaysStrict: false, useDefineForClassFields: false } },
};

/** The same for code that needs no terser, because it is small. */
export const smallForBrowser = { ...browser, minify: true, sourcemap: false };

/** Code for Node. It loads its packages from node_modules. */
export const node = {
  ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' },
  ...{ sourcemap: true, define: { VERSION: JSON.stringify(version) }, logLevel, metafile: true },
};

/**
 * Bundles for dist/, and writes into another folder with the same layout: the maps name the sources as seen from dist/.
 *
 * @param options as esbuild takes them, with an output in dist/
 */
export async function bundle(options, out) {
  const result = await esbuild.build({ ...options, write: false });
  for (const { path, contents } of result.outputFiles) {
    const file = join(out, relative('dist', path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  return result;
}

/** The sources that bundles were made of, from the top folder. Our plugins put a word before theirs. */
export function inputsOf(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const files = inputs.filter((input) => input !== '<stdin>');
  return [...new Set(files.map((input) => input.replace(/^(raw|bundle):/, '')))];
}
