/**
 * Makes the reference of the module from the docblocks of its source. What has none, a link that leads nowhere, or a type
 * that a reader can't get at, is a fault.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Application, Converter, LogLevel } from 'typedoc';
import { BuildError } from '../../src/build/fault.mjs';

/** The first page has only a list of modules without it. */
const INTRODUCTION = `<p class="tsd-typography">These are all functions and types of the npm package. Most pages need only
<a href="functions/email-verify-widget.install.html">install</a>, its
<a href="interfaces/email-verify-widget.Options.html">options</a> and the
<a href="interfaces/email-verify-widget.Widget.html">widget</a> that it returns.</p>`;

/** @returns the sources that it was made of */
export async function makeReference(out) {
  const folder = `${out}/reference`;
  const app = await Application.bootstrapWithPlugins({ options: 'docs/reference/typedoc.json', out: folder });
  const faults = [];
  app.logger.log = (message, level) => {
    if (level >= LogLevel.Warn) faults.push(stripVTControlCharacters(message));
  };
  const inputs = new Set();
  app.converter.on(Converter.EVENT_BEGIN, ({ programs }) => {
    for (const file of programs.flatMap((program) => program.getSourceFiles()))
      inputs.add(relative('.', file.fileName));
  });
  const project = await app.convert();
  if (project) app.validate(project);
  if (faults.length === 0 && project) await app.generateOutputs(project);
  if (faults.length > 0 || !project) throw new BuildError(faults.join('\n'));
  mendPages(folder);
  return [...inputs];
}

/**
 * Makes the pages part of the site, and lets them work under the service's policy, which forbids scripts and styles
 * within a page:
 *
 * - They get the style sheet, the logo and the script of src/house-style/. The service puts the masthead in.
 * - TypeDoc's own choice of a theme goes, with its script. The View disclosure of the masthead has the colours.
 * - TypeDoc's bar is not the header of the page, and its content is the main part, where screen readers go first. Its
 *   lists of links are navigation, its headings have no gaps, and no link is inside something else to press.
 */
function mendPages(folder) {
  for (const page of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const home = '../'.repeat(page.split(/[\\/]/).length);
    let html = readFileSync(join(folder, page), 'utf8');
    const replace = (part, by) => {
      const mended = html.replace(part, () => by);
      if (mended === html) throw new Error(`Expected ${part} in ${page}, got none.`);
      html = mended;
    };
    const head = `<link rel="icon" href="${home}logo.svg" type="image/svg+xml"/>
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
    writeFileSync(join(folder, page), closeGaps(html));
  }
  writeFileSync(
    `${folder}/assets/custom.css`,
    readFileSync(`${folder}/assets/custom.css`, 'utf8') + highlighting(folder),
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
function highlighting(folder) {
  const sheet = readFileSync(`${folder}/assets/highlight.css`, 'utf8');
  const names = [...sheet.matchAll(/--light-(hl-\d+):/g)].map(([, name]) => name);
  const lines = names.map((name) => `  --${name}: light-dark(var(--light-${name}), var(--dark-${name}));\n`);
  return `\n:root {\n${lines.join('')}}\n`;
}
