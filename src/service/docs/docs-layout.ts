/** The frame of a page of the documentation: the masthead, the search, the sections, and the outline. */

import { houseHead } from '../pages/house.ts';
import { type Html, html } from '../pages/html.ts';
import { masthead } from '../pages/masthead.ts';
import type { Site } from '../pages/page-urls.ts';
import type { DocsIndex, OutlineEntry } from './docs-content.ts';
import { neighbours, outlineList, sectionList } from './docs-navigation.ts';
import { MAX_QUERY } from './docs-search.ts';

/** What all pages of the documentation share. */
export interface Frame {
  readonly site: Site;
  readonly index: DocsIndex;
}

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

export const ASSETS = '/docs/assets';

/** An outline of one heading says no more than the page. */
const FEWEST_HEADINGS = 2;

export function docsPage({ site, index }: Frame, content: Content): string {
  const { url, title, about, main, outline = [], source, head, side = 'everything' } = content;
  const sections = sectionList(site, index.sections, url);
  const headings = outline.length >= FEWEST_HEADINGS ? outlineList(outline) : undefined;
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${title} – Email verification</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${about !== undefined && html`<meta name="description" content="${about}">`}
${houseHead(site, true)}
<link rel="stylesheet" href="${site.link(`${ASSETS}/docs.css`)}">
<script type="module" src="${site.link(`${ASSETS}/docs.js`)}"></script>
${head}
</head>
<body>
${masthead(site, { path: url, view: 'colours' })}
<div class="docs${side !== 'nothing' && html` with-side`}${headings && html` with-outline`}">
${
  side !== 'nothing' &&
  html`<div class="side">
${side === 'everything' && searchForm(site)}
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
${neighbours(site, index.sections, url)}
${source !== undefined && html`<p class="source"><a href="${index.repository}blob/HEAD/${source}">Source of this page: <code>${source}</code></a></p>`}
</main>
</div>
</body>
</html>
`.toString();
}

/** Works without scripts. The script shows the results while the reader types. @param query what was searched for */
export function searchForm(site: Site, query = ''): Html {
  return html`<form class="search" role="search" action="${site.link('/docs/search')}">
<label for="search">Search the documentation</label>
<div class="query"><input id="search" name="q" type="search" value="${query}" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="${MAX_QUERY}" enterkeyhint="search"><button>Search</button></div>
<p class="found unseen" role="status"></p>
</form>`;
}
