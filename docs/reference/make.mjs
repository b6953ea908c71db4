/**
 * Makes the reference of the module in dist/reference, from the docblocks of its source. What has none, a link that
 * leads nowhere, or a type that a reader can't get at, ends it with an error.
 *
 *   node docs/reference/make.mjs             make it
 *   node docs/reference/make.mjs --if-stale  only when a source is newer
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));

const OUT = 'dist/reference';
const STAMP = `${OUT}/.made`;

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);

rmSync(OUT, { recursive: true, force: true });
const app = await Application.bootstrapWithPlugins({ options: 'docs/reference/typedoc.json' });
const project = await app.convert();
if (!project) process.exit(1);
app.validate(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
await app.generateOutputs(project);
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);
mendPages();
writeFileSync(STAMP, '');

/**
 * TypeDoc writes one script into each page, which the service's policy forbids: it gets a file of its own. And it
 * says nowhere which part of a page is the main one, where screen readers go first.
 */
function mendPages() {
  const scripts = new Set();
  for (const page of readdirSync(OUT, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const up = '../'.repeat(page.split(/[\\/]/).length - 1);
    const html = readFileSync(join(OUT, page), 'utf8').replace(/<script>(.*?)<\/script>/gs, (_, script) => {
      scripts.add(script);
      return `<script src="${up}assets/first.js"></script>`;
    });
    const content = '<div class="col-content">';
    if (!html.includes(content)) throw new Error(`Expected ${content} in ${page}, got none.`);
    writeFileSync(join(OUT, page), html.replace(content, content.replace('>', ' role="main">')));
  }
  if (scripts.size !== 1)
    throw new Error(`Expected the same inline script in all pages, got ${scripts.size}.`);
  writeFileSync(`${OUT}/assets/first.js`, [...scripts][0]);
}

/** True when nothing that goes into it has changed since it was made. */
function isFresh() {
  const madeAt = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return madeAt > Math.max(...['src', 'docs/reference', 'package.json'].map(newestChange));
}

/** The latest change of a file, or of anything below a folder (a removed file shows in its folder's own time). */
function newestChange(path) {
  const stat = statSync(path);
  if (!stat.isDirectory() || path.endsWith('node_modules')) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}
