/** The first page of the documentation: what this is, where to begin, and every page by section. */
import { searchForm } from '../../src/service/docs/search-page.ts';
import { type Html, html } from '../../src/service/pages/html.ts';
import { onlyWith, SITE } from './service-values.ts';
import type { DocsPage, DocsSection } from './site.ts';

/** A way in, with pages that are there. The first one is where to begin. */
interface Way {
  readonly who: string;
  readonly what: string;
  readonly urls: readonly string[];
}

const WAYS: readonly Way[] = [
  {
    who: 'You own a site',
    what: 'Add one tag to a page. Visitors see a mistyped address before they submit it.',
    urls: ['/docs/start/', '/docs/widget/', '/docs/recipes/', '/docs/privacy/'],
  },
  {
    who: 'You write code',
    what: 'Verify an address or a whole list over HTTP, or use the widget as a module.',
    urls: ['/docs/api/', '/docs/frameworks/', '/docs/batch/', '/docs/oauth/'],
  },
  {
    who: 'You run the service',
    what: 'Install it, connect it to a database, and keep it healthy.',
    urls: ['/docs/hosting/', '/docs/configuration/', '/docs/operations/', '/docs/dashboard/'],
  },
];

export function startPage(sections: readonly DocsSection[]): Html {
  const pages = sections.flatMap((section) => section.pages);
  const link = (page: DocsPage) => html`<a href="${SITE.link(page.url)}">${page.title}</a>`;
  return html`<div class="opening">
<h1>Documentation</h1>
<p>The widget verifies the email addresses that visitors type into your forms. The service behind it also verifies single addresses and whole lists over HTTP.</p>
${searchForm(SITE)}
</div>
<div class="ways columns">
${WAYS.map(({ who, what, urls }) => {
  const found = urls.flatMap((url) => pages.find((page) => page.url === url) ?? []);
  return html`<section class="box"><h2>${who}</h2><p>${what}</p><ul>${found.map((page) => html`<li>${link(page)}</li>`)}</ul></section>\n`;
})}</div>
<div class="all">
${sections.map(({ title, pages }) => {
  const [first, ...others] = pages;
  // A section of one page is named once.
  if (others.length === 0)
    return html`<section><h2><a href="${SITE.link(first!.url)}">${title}</a></h2><p>${first!.about}</p></section>\n`;
  return html`<section><h2>${title}</h2>
<dl>${pages.map((page) => onlyWith(page.needs, html`<div><dt>${link(page)}</dt><dd>${page.about}</dd></div>\n`))}</dl></section>
`;
})}</div>`;
}
