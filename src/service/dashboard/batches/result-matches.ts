/** The results on the page of a batch: filters, a table of the matches, and its pages. */
import { REASONS } from '../../../protocol/result.ts';
import {
  ATTRIBUTES,
  isEmpty,
  type ResultFilter,
  readFilter,
  readSort,
  SORTS,
  type Sort,
  sayFilter,
  toQuery,
  type Values,
} from '../../batch/results/result-filter.ts';
import { type Found, type ResultFacts, readSlice, searchResults } from '../../batch/results/result-store.ts';
import { addresses, capital, figure } from '../../core/format.ts';
import type { Db } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { optionsOf } from '../form-fields.ts';
import { pathOf } from './batch-paths.ts';
import { PARTS_LIVE_S } from './batch-progress.ts';
import { REASON_TITLES } from './batch-words.ts';
import { resultsTable } from './results-table.ts';
import { BAR_ORDER } from './state-bar.ts';

const ON_A_PAGE = 50;
/** Searching more takes seconds and keeps the database busy. Larger batches can be downloaded with a filter. */
const MOST_SEARCHED = 200_000;

/** The query of the page, parsed. */
export interface Wanted {
  readonly filter: ResultFilter;
  readonly sort: Sort;
  /** From 1. */
  readonly page: number;
}

export function readWanted(values: Values): Wanted {
  const page = /^[1-9]\d{0,6}$/.exec(values('page')[0] ?? '')?.[0];
  return { filter: readFilter(values), sort: readSort(values), page: Number(page ?? 1) };
}

/** Other facts about the results. */
export interface Known extends ResultFacts {
  /** The file's row of each address. Undefined without a file. */
  readonly numbers: ReadonlyMap<number, number> | undefined;
  /** All addresses of the batch, with and without a result. */
  readonly distinct: number;
  /** Shown above the table. */
  readonly download: Html | undefined;
  /** Whether more results will come. The table updates only once all are there. */
  readonly isOpen: boolean;
}

export interface Shown extends Found {
  readonly wanted: Wanted;
  readonly pages: number;
  /** The batch is too large to search. */
  readonly isTooLarge: boolean;
}

/** @param verified how many results there are @param distinct how many addresses */
export async function findResults(
  db: Db,
  id: string,
  wanted: Wanted,
  verified: number,
  distinct: number,
): Promise<Shown> {
  const { filter, sort } = wanted;
  const slice = (page: number) => ({ offset: (page - 1) * ON_A_PAGE, limit: ON_A_PAGE });
  const pagesOf = (count: number) => Math.max(1, Math.ceil(count / ON_A_PAGE));
  if (isEmpty(filter) && sort === 'place') {
    const pages = pagesOf(verified);
    const page = Math.min(wanted.page, pages);
    const rows = await readSlice(db, id, slice(page));
    return { wanted: { ...wanted, page }, pages, count: verified, rows, isTooLarge: false };
  }
  if (distinct > MOST_SEARCHED) return { wanted, pages: 1, count: 0, rows: [], isTooLarge: true };
  let page = wanted.page;
  let found = await searchResults(db, id, filter, sort, slice(page));
  const pages = pagesOf(found.count);
  if (page > pages) {
    page = pages;
    found = await searchResults(db, id, filter, sort, slice(page));
  }
  return { wanted: { ...wanted, page }, pages, ...found, isTooLarge: false };
}

/** A link to the page of a batch that shows these results. */
export function resultsLink(site: Site, id: string, { filter, sort, page }: Wanted): string {
  const query = new URLSearchParams(toQuery(filter));
  if (sort !== 'place') query.set('sort', sort);
  if (page > 1) query.set('page', String(page));
  return site.link(`${pathOf(id)}${query.size > 0 ? `?${query}` : ''}#results`);
}

/** The results that match, below the form of their filter. */
export function resultsPart(site: Site, id: string, shown: Shown & Known): Html {
  const { wanted, count, rows, isTooLarge, numbers, hasAcceptAll, download, isOpen } = shown;
  const link = (changes: Partial<Wanted>) => resultsLink(site, id, { ...wanted, page: 1, ...changes });
  return html`${filterForm(site, id, wanted, hasAcceptAll)}
<div id="shown"${isOpen && html` data-live="${PARTS_LIVE_S}" data-live-kept`}>
<p id="found" role="status">${isTooLarge ? tooLarge(link) : foundWords(shown, link)}</p>
${download}
${rows.length > 0 && resultsTable(rows, numbers, wanted.sort, (sort) => link({ sort }))}
${count > 0 && pageLinks(shown, link)}</div>`;
}

type Link = (changes: Partial<Wanted>) => string;

const EVERYTHING: Wanted = { filter: { states: [] }, sort: 'place', page: 1 };

function foundWords(
  { wanted: { filter, page }, count, rows, erased, distinct }: Shown & Known,
  link: Link,
): Html {
  const first = (page - 1) * ON_A_PAGE + 1;
  const range = rows.length > 0 && html`${figure(first)} to ${figure(first + rows.length - 1)} of `;
  if (isEmpty(filter)) {
    const all = count === distinct ? addresses(count) : `${addresses(count)} with a result so far`;
    return html`${range}${all}.${erased > 0 && html` ${addresses(erased)} ${erased === 1 ? 'was' : 'were'} erased.`}`;
  }
  return html`${range}${figure(count)} that match, of ${addresses(distinct)}: <bdi>${sayFilter(filter, REASON_TITLES).join(', ')}</bdi>.
<a href="${link(EVERYTHING)}">Clear all filters</a>`;
}

const tooLarge = (link: Link): Html =>
  html`Batches of more than ${figure(MOST_SEARCHED)} addresses cannot be searched or sorted here. Download the matching results instead, or <a href="${link(EVERYTHING)}">show all in their order</a>.`;

function filterForm(site: Site, id: string, { filter, sort }: Wanted, hasAcceptAll: boolean): Html {
  // Unless servers were tested for accepting every address, this filter would find no results.
  const attributes = Object.entries(ATTRIBUTES).filter(
    ([name]) => name !== 'accept_all' || hasAcceptAll || filter.attribute === name,
  );
  const states = BAR_ORDER.map(
    (state) =>
      html`<label class="choice"><input type="checkbox" name="state" value="${state}"${filter.states.includes(state) && html` checked`}><span class="state ${state}">${state}</span></label>`,
  );
  return html`<form class="filter" method="get" action="${site.link(pathOf(id))}#results" role="search" aria-label="Results">
<div class="field"><label for="q">Address contains</label><input id="q" name="q" type="search" value="${filter.search ?? ''}" autocomplete="off" spellcheck="false" autocapitalize="none"></div>
<div class="field"><label for="reason">Reason</label><select id="reason" name="reason">${optionsOf([['', 'Any reason'], ...REASONS.map((reason) => [reason, REASON_TITLES[reason]] as const)], filter.reason)}</select></div>
<div class="field"><label for="with">Attribute</label><select id="with" name="with">${optionsOf([['', 'Any attribute'], ...inCapitals(attributes)], filter.attribute)}</select></div>
<div class="field"><label for="sort">Order</label><select id="sort" name="sort">${optionsOf(inCapitals(Object.entries(SORTS)), sort)}</select></div>
<fieldset><legend>State</legend><div class="row">${states}</div></fieldset>
<button>Show</button></form>`;
}

const inCapitals = (words: readonly (readonly [string, string])[]) =>
  words.map(([value, text]) => [value, capital(text)] as const);

function pageLinks({ wanted: { page }, pages }: Shown, link: Link): Html | false {
  if (pages === 1) return false;
  return html`<nav class="split" aria-label="Pages of results">
<span>${page > 1 && html`<a href="${link({ page: page - 1 })}" rel="prev">Previous</a>`}</span>
<span class="note">Page ${figure(page)} of ${figure(pages)}</span>
<span>${page < pages && html`<a href="${link({ page: page + 1 })}" rel="next">Next</a>`}</span></nav>`;
}
