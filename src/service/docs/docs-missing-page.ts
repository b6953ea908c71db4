/** The page for a URL below `/docs/` that leads nowhere. It offers what the search finds for the words of the URL. */
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import type { Search } from './docs-search.ts';
import { hitList, searchForm } from './search-page.ts';

/** More would hide that the page is not there. */
const MAX_OFFERS = 5;

/** @param path below `/docs/`, as it was requested */
export async function missingPage(site: Site, path: string, search: Search): Promise<Html> {
  const words = wordsOf(path);
  const findings = await search(words);
  const hits = findings.outcome === 'found' ? findings.hits.slice(0, MAX_OFFERS) : [];
  return html`<h1>Page not found</h1>
<p>The documentation of this version has no page at this URL. <a href="${site.link('/docs/')}">See all pages</a>, or search:</p>
${searchForm(site, words)}
${hits.length > 0 && html`<h2>Did you mean one of these?</h2>\n${hitList(site, hits)}`}`;
}

/** The last part of the path, in words. */
function wordsOf(path: string): string {
  const last = path.split('/').filter(Boolean).at(-1) ?? '';
  return last
    .replace(/\.\w+$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, 50);
}
