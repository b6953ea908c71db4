/** `/dashboard/batches`: the batches of the account, all or those that are looked for. */
import { type BatchSummary, listBatches } from '../../batch/overview/batch-overview-store.ts';
import { totalCounts } from '../../batch/result-counts.ts';
import { readStorage } from '../../batch/storage/storage-store.ts';
import { capital, figure } from '../../core/format.ts';
import type { Deps } from '../../deps/deps.ts';
import { queryParameters } from '../../http/parameters.ts';
import { type Html, html, type Value } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { dataTable, numbers } from '../data-table.ts';
import { done } from '../done.ts';
import { moment } from '../moment.ts';
import { titleOf } from '../titles.ts';
import type { Visit } from '../visit.ts';
import {
  type BatchChoice,
  choiceForm,
  choiceLink,
  isFiltered,
  readChoice,
  sayChoice,
} from './batch-choice.ts';
import { BATCHES, pathOf } from './batch-paths.ts';
import { batchName, batchTitle, STATE_WORDS, stateOf } from './batch-words.ts';
import { BAR_ORDER } from './state-bar.ts';
import { storagePart } from './storage-section.ts';
import { spanOf } from './zone-days.ts';

const ON_A_PAGE = 25;
/** Seconds between updates while a batch is open. */
const LIVE_S = 5;

const DONE = { deleted: 'The batch and its results were deleted.' };

export async function sendList(visit: Visit, { db }: Pick<Deps, 'db'>) {
  const { request, accountId, site, may, send } = visit;
  const query = queryParameters(request);
  const choice = readChoice((name) => query.get(name)?.[0]?.toString());
  const offset = (choice.page - 1) * ON_A_PAGE;
  const { day, zone } = choice;
  const created = day && zone ? spanOf(day, zone) : undefined;
  const found = await listBatches(db, {
    ...{ ...choice, created, accountId, isOpen: false, offset, limit: ON_A_PAGE + 1 },
  });
  const batches = found.slice(0, ON_A_PAGE);
  const heading = html`<div class="split"><h1>Batches</h1>
${may('verify') && html`<a class="button primary" href="${site.link(`${BATCHES}/new`)}">New batch</a>`}</div>
${done(visit, DONE)}`;
  const isFirst = choice.before === undefined && choice.page === 1;
  const more = found.length > ON_A_PAGE ? batches.at(-1) : undefined;
  const isNew = batches.length === 0 && isFirst && !isFiltered(choice);
  const content = isNew
    ? emptyList(site, may('verify'))
    : [
        choiceForm(site, choice),
        batches.length > 0 ? table(site, batches) : sayNone(site, choice),
        pages(site, choice, more),
      ];
  const modes = ['live', 'test'] as const;
  const storages = await Promise.all(modes.map((mode) => readStorage(db, accountId, mode)));
  // The account may just have been deleted.
  const storage = storagePart(storages.filter((each) => each !== undefined));
  return send({ title: titleOf('Batches', sayChoice(choice)), main: html`${heading}${content}${storage}` });
}

function sayNone(site: Site, choice: BatchChoice): Html {
  if (isFiltered(choice))
    return html`<p class="empty">No batch matches. <a href="${choiceLink(site, {})}">Show all batches</a></p>`;
  return html`<p>There are no older batches. <a href="${choiceLink(site, {})}">Show the newest</a></p>`;
}

function emptyList(site: Site, mayVerify: boolean): Html {
  if (!mayVerify) return html`<p class="empty">There are no batches yet.</p>`;
  return html`<div class="empty"><h2>Verify a whole list</h2>
<p>Upload a file or paste addresses. You see what it costs before anything starts.</p>
<a class="button" href="${site.link(`${BATCHES}/new`)}">Start with a list</a>
<p class="note">Batches that your programs send to <code>/v1/batch</code> also appear here.</p></div>`;
}

function table(site: Site, batches: readonly BatchSummary[]): Html {
  const isOpen = batches.some(({ completed_at }) => completed_at === null);
  return html`<section id="batches" aria-label="Batches"${isOpen && html` data-live="${LIVE_S}"`}>
${dataTable({
  ...{ label: 'Table of batches', css: 'batches', columns: COLUMNS },
  caption: 'Each distinct address counts once.',
  rows: batches.map((batch) => row(site, batch)),
})}</section>`;
}

const COLUMNS = ['Batch', 'Progress', ...numbers('Addresses', ...BAR_ORDER.map(capital))];

function row(site: Site, batch: BatchSummary): Value[] {
  const { id, name, mode, distinct_total, created_at } = batch;
  const title = html`<a href="${site.link(pathOf(id))}"><bdi>${batchName(batch)}</bdi></a>
<span class="note">${name !== null && moment(created_at)}${name !== null && mode === 'test' && ' · '}${mode === 'test' && 'test key'}${name === null && ` · ${id.slice(0, 8)}…`}</span>`;
  return [title, progress(batch), figure(distinct_total), ...countCells(batch)];
}

function progress(batch: BatchSummary): Html {
  const { verified, distinct_total } = batch;
  const state = stateOf(batch);
  if (state === 'completed') return html`${STATE_WORDS[state]}`;
  if (state === 'stopped')
    return html`${STATE_WORDS[state]} <span class="note">${figure(verified)} of ${figure(distinct_total)}</span>`;
  return html`${STATE_WORDS[state]}
<progress value="${verified}" max="${distinct_total}" aria-label="Progress of ${batchTitle(batch)}"></progress>
<span class="note">${figure(verified)} of ${figure(distinct_total)}</span>`;
}

/** An open batch shows its counts only on its own page. */
function countCells({ reason_counts, total }: BatchSummary): string[] {
  if (!reason_counts) return BAR_ORDER.map(() => '–');
  const counts = totalCounts(reason_counts, 0, total);
  return BAR_ORDER.map((state) => figure(counts[state]));
}

/** @param last the last batch of the page, if there are further ones */
function pages(site: Site, choice: BatchChoice, last: BatchSummary | undefined): Html | undefined {
  const { before, page, order } = choice;
  if (before === undefined && page === 1 && !last) return undefined;
  const isByTime = order === 'newest';
  const first = choiceLink(site, { ...choice, before: undefined, page: isByTime ? 1 : page - 1 });
  const next =
    last && choiceLink(site, { ...choice, ...(isByTime ? { before: last.id } : { page: page + 1 }) });
  return html`<nav class="split" aria-label="Pages of batches">
${(before !== undefined || page > 1) && html`<a href="${first}" rel="prev">${isByTime ? 'Newest batches' : 'Previous batches'}</a>`}
${next !== undefined && html`<a href="${next}" rel="next">${isByTime ? 'Older batches' : 'Next batches'}</a>`}</nav>`;
}
