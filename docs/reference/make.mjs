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

/** The first page has only a list of modules without it. */
const INTRODUCTION = `<p class="tsd-typography">These are all functions and types of the npm package. Most pages need only
<a href="functions/email-verify-widget.install.html">install</a>, its
<a href="interfaces/email-verify-widget.Options.html">options</a> and the
<a href="interfaces/email-verify-widget.Widget.html">widget</a> that it returns.</p>`;

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
 * Makes the pages part of the site, and lets them work under the service's policy, which forbids scripts and styles
 * within a page:
 *
 * - They get the style sheet, the mark and the script of src/house/. The service puts the masthead in.
 * - TypeDoc's own choice of a theme goes, with its script. The View disclosure of the masthead has the colours.
 * - TypeDoc's bar is not the header of the page, and its content is the main part, where screen readers go first. Its
 *   lists of links are navigation, its headings have no gaps, and no link is inside something else to press.
 */
function mendPages() {
  for (const page of readdirSync(OUT, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const home = '../'.repeat(page.split(/[\\/]/).length);
    let html = readFileSync(join(OUT, page), 'utf8');
    const replace = (part, by) => {
      const mended = html.replace(part, () => by);
      if (mended === html) throw new Error(`Expected ${part} in ${page}, got none.`);
      html = mended;
    };
    const head = `<link rel="icon" href="${home}mark.svg" type="image/svg+xml"/>
<link rel="stylesheet" href="${home}house.css"/>
<script src="${home}view.js" data-only="scheme"></script>`;
    replace('<meta name="description"', `${head}<meta name="description"`);
    replace(/<script>.*?<\/script>/s, '<!-- masthead -->');
    replace('<header class="tsd-page-toolbar">', '<nav class="tsd-page-toolbar" aria-label="Reference">');
    replace('</header>', '</nav>');
    replace('<div class="col-content">', '<div class="col-content" id="main" tabindex="-1" role="main">');
    replace(/<div class="tsd-navigation settings">.*?<\/details><\/div>/s, '');
    replace('<div class="page-menu">', '<div class="page-menu" role="navigation" aria-label="This page">');
    replace('<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Modules">');
    if (page === 'index.html') replace('</h1></div>', `</h1>${INTRODUCTION}</div>`);
    html = html.replace(/<summary .*?<\/summary>/gs, (summary) =>
      summary.replace(/<a [^>]*class="tsd-anchor-icon">.*?<\/a>/gs, ''),
    );
    writeFileSync(join(OUT, page), closeGaps(html));
  }
  writeFileSync(
    `${OUT}/assets/custom.css`,
    readFileSync(`${OUT}/assets/custom.css`, 'utf8') + highlighting(),
  );
}

/** Lets each heading be one level below the one before it at most. The style sheet finds the level that it had. */
function closeGaps(html) {
  let before = 0;
  return html.replace(/<h([1-6])\b(.*?)<\/h\1>/gs, (_, level, rest) => {
    before = Math.min(Number(level), before + 1);
    const had = before === Number(level) ? '' : ` data-level="${level}"`;
    return `<h${before}${had}${rest}</h${before}>`;
  });
}

/** The colours of highlighted code in light and in dark, by whichever of these the page is shown in. */
function highlighting() {
  const sheet = readFileSync(`${OUT}/assets/highlight.css`, 'utf8');
  const names = [...sheet.matchAll(/--light-(hl-\d+):/g)].map(([, name]) => name);
  const lines = names.map((name) => `  --${name}: light-dark(var(--light-${name}), var(--dark-${name}));\n`);
  return `\n:root {\n${lines.join('')}}\n`;
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
