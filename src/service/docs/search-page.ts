/** What a search has found, as a page that also tells what to do if it has found nothing. */
import { type Html, html } from '../pages/html.ts';
import type { Site } from '../pages/page-urls.ts';
import { type Findings, type Hit, MAX_HITS, MAX_QUERY } from './docs-search.ts';
import type { SnippetPart } from './search-snippet.ts';

/** So much of a query is repeated. */
const SHOWN = 60;

export function searchPage(site: Site, query: string, findings: Findings): Html {
  const shown = findings.outcome === 'tooLong' ? query.slice(0, MAX_QUERY) : query;
  return html`<h1>Search</h1>
${searchForm(site, shown)}
<div id="results">
${results(site, query, findings)}
</div>`;
}

function results(site: Site, query: string, findings: Findings): Html {
  if (findings.outcome === 'empty') return html`<p class="count">Type one or more words.</p>`;
  if (findings.outcome === 'tooLong')
    return html`<p class="count">This query has ${findings.length.toLocaleString('en')} characters. Use ${MAX_QUERY} at most.</p>`;
  const name = html`<q><bdi>${query.length > SHOWN ? `${query.slice(0, SHOWN)}…` : query}</bdi></q>`;
  const { hits } = findings;
  if (hits.length === 0) {
    return html`<p class="count">No results for ${name}.</p>
<p>Check the spelling, or use fewer words. The names of the npm module are in its own reference.</p>`;
  }
  const count =
    hits.length === MAX_HITS
      ? `The best ${MAX_HITS} results`
      : hits.length === 1
        ? '1 result'
        : `${hits.length} results`;
  return html`<p class="count">${count} for ${name}</p>
${hitList(site, hits)}`;
}

export const hitList = (site: Site, hits: readonly Hit[]): Html => html`<ol class="hits">
${hits.map(
  ({ url, section, title, heading, snippet }) =>
    html`<li><a href="${site.link(url)}"><span class="place">${section}${section !== title && ` › ${title}`}</span>
<span class="heading">${heading.length > 0 ? marked(heading) : title}</span></a>
<p>${marked(snippet)}</p></li>
`,
)}</ol>`;

/** Works without scripts. The script shows the results while the reader types. @param query what was searched for */
export function searchForm(site: Site, query = ''): Html {
  return html`<form class="search" role="search" action="${site.link('/docs/search')}">
<label for="search">Search the documentation</label>
<div class="query"><input id="search" name="q" type="search" value="${query}" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="${MAX_QUERY}" enterkeyhint="search"><button>Search</button></div>
<p class="found unseen" role="status"></p>
</form>`;
}

const marked = (parts: readonly SnippetPart[]): Html[] =>
  parts.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : html`${text}`));
