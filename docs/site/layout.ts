/** The frame of a page of the documentation: the masthead, the search, the sections, and the outline. */

import { searchForm } from '../../src/service/docs/search-page.ts';
import { houseStyle } from '../../src/service/pages/house-style.ts';
import { type Html, html } from '../../src/service/pages/html.ts';
import type { OutlineEntry } from './markdown.ts';
import { neighbours, outlineList, sectionList } from './navigation.ts';
import { SITE } from './service-values.ts';
import type { DocsIndex } from './site.ts';

export interface Content {
  /** From the root of the service. */
  readonly url: string;
  readonly title: string;
  readonly about?: string | undefined;
  readonly main: Html;
  /** @default none */
  readonly outline?: readonly OutlineEntry[] | undefined;
  /** The file that the page is made from. @default none */
  readonly source?: string | undefined;
  /** Further scripts and style sheets. */
  readonly head?: Html | undefined;
  /** What stands beside the content. The first page has everything in its content. @default 'everything' */
  readonly side?: 'everything' | 'sections' | 'nothing';
}

/** Tells pages apart from those of the dashboard in tabs and in the history. */
const PART = 'Documentation';

/** An outline of one heading says no more than the page. */
const FEWEST_HEADINGS = 2;

export function docsPage(index: DocsIndex, content: Content): string {
  const { url, title, about, main, outline = [], source, head, side = 'everything' } = content;
  const sections = sectionList(index.sections, url);
  const headings = outline.length >= FEWEST_HEADINGS ? outlineList(outline) : undefined;
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title} – ${title !== PART && `${PART} – `}Email verification</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${about !== undefined && html`<meta name="description" content="${about}">`}
${houseStyle(SITE, true)}
<link rel="stylesheet" href="@@root@@/docs/assets/docs.css">
<script type="module" src="@@root@@/docs/assets/docs.js"></script>
${head}
</head>
<body>
@@masthead@@
<div class="docs${side !== 'nothing' && html` with-side`}${headings && html` with-outline`}">
${
  side !== 'nothing' &&
  html`<div class="side">
${side === 'everything' && searchForm(SITE)}
<details class="sections-folded"><summary>All pages</summary><nav aria-label="Documentation">${sections}</nav></details>
<nav class="sections" aria-label="Documentation">${sections}</nav>
</div>`
}
${
  headings &&
  html`<details class="outline-folded"><summary>On this page</summary><nav aria-label="On this page">${headings}</nav></details>
<nav class="outline" aria-labelledby="outline-title"><h2 id="outline-title">On this page</h2>${headings}</nav>`
}
<main id="main" tabindex="-1">
<article>
${main}
</article>
${neighbours(index.sections, url)}
${source !== undefined && html`<p class="source"><a href="${index.repository}blob/HEAD/${source}">Source of this page: <code>${source}</code></a></p>`}
</main>
</div>
</body>
</html>
`.toString();
}
