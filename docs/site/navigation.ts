/** The ways from a page of the documentation to the others: by section, to the next one, and within the page. */
import { type Html, html } from '../../src/service/pages/html.ts';
import type { OutlineEntry } from './markdown.ts';
import { onlyWith, SITE } from './service-values.ts';
import type { DocsPage, DocsSection } from './site.ts';

/** The section of the present page is open. @param url of the present page */
export function sectionList(sections: readonly DocsSection[], url: string): Html {
  const link = (page: DocsPage, title: string) =>
    html`<a href="${SITE.link(page.url)}"${page.url === url && html` aria-current="page"`}>${title}</a>`;
  const items = sections.map(({ title, pages }) => {
    const [first, ...others] = pages;
    // A section of one page is a link, not a list of one.
    if (others.length === 0) return html`<li>${link(first!, title)}</li>\n`;
    const isOpen = pages.some((page) => page.url === url);
    return html`<li><details class="turns"${isOpen && html` open`}><summary>${title}</summary>
<ul>
${pages.map((page) => onlyWith(page.needs, html`<li>${link(page, page.title)}</li>\n`))}</ul></details></li>
`;
  });
  return html`<ul>\n${items}</ul>`;
}

/** The headings of the page, those of the third level within those of the second. */
export function outlineList(outline: readonly OutlineEntry[]): Html {
  return html`<ul>
${outline.map(({ id, title, level }) => html`<li class="level-${level}"><a href="#${id}">${title}</a></li>\n`)}</ul>`;
}

/** The pages before and after it, in the order of the sections. */
export function neighbours(sections: readonly DocsSection[], url: string): Html | undefined {
  const pages = sections.flatMap(({ pages }) => pages).filter((page) => /^\/docs\/.*\/$/.test(page.url));
  const at = pages.findIndex((page) => page.url === url);
  const [before, after] = at < 0 ? [] : [pages[at - 1], pages[at + 1]];
  if (!before && !after) return undefined;
  const link = (page: DocsPage | undefined, rel: string, label: string) =>
    page && html`<a rel="${rel}" href="${SITE.link(page.url)}"><span>${label}</span> ${page.title}</a>`;
  return html`<nav class="neighbours columns" aria-label="Previous and next page">
${link(before, 'prev', 'Previous')}
${link(after, 'next', 'Next')}
</nav>`;
}
