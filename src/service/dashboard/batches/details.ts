/** `/dashboard/batches/:id`: one batch, from its progress to its deletion. */

import { totalCounts } from '../../batch/counts.ts';
import { COLUMN_CHOICES } from '../../batch/export/columns.ts';
import { findExportable } from '../../batch/export/store.ts';
import { type BatchDetails, findDetails } from '../../batch/overview/store.ts';
import { isEmpty, toQuery } from '../../batch/results/filter.ts';
import { formToken } from '../../pages/forms.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/layout.ts';
import { done } from '../done.ts';
import { moment } from '../moment.ts';
import type { DashboardParts } from '../parts.ts';
import type { Visit } from '../visit.ts';
import { callbackPart } from './callback.ts';
import { reasonsTable } from './counts.ts';
import { BATCHES, pathOf } from './paths.ts';
import { type Progress, progressPart, readBatchProgress, reasonsOfProgress } from './progress.ts';
import { findResults, readWanted, resultsLink, resultsPart, type Shown } from './results.ts';
import { STATE_PATTERNS } from './state-bar.ts';
import { valuesOf } from './values.ts';
import { addresses, batchName, figure, stateOf } from './words.ts';

export const DONE = {
  begun: 'The batch has begun.',
  paused: 'The batch is paused. What is being verified at this moment is still stored.',
  resumed: 'The batch goes on.',
  completed: 'Nothing was changed, because the batch was completed meanwhile.',
  sent: 'The callback is sent within seconds.',
  sending: 'The callback is being sent already.',
  expired: 'The callback was not sent, because the results have been deleted.',
};

export async function sendDetails(visit: Visit, parts: DashboardParts, id: string) {
  const { accountId, site, send, notFound } = visit;
  const { db } = parts;
  const batch = await findDetails(db, id, accountId);
  if (!batch) return notFound('batch');
  const progress = await readBatchProgress(parts, batch);
  const { now } = progress;
  const name = batchName(batch);
  const main = html`${STATE_PATTERNS}
<p class="crumb"><a href="${site.link(BATCHES)}">Batches</a></p>
<div class="heading"><h1><bdi>${name}</bdi></h1><p class="note">${about(batch)}</p></div>
${done(visit, DONE)}
${progressPart(progress, changeForm(visit, batch))}
${await resultsSection(visit, parts, progress)}
${await callbackPart(visit, db, batch, now)}
${deletion(visit, parts, progress)}`;
  return send({ title: name, main });
}

function about({ id, mode, total, distinct_total, created_at, retries }: BatchDetails): Html {
  const distinct = distinct_total < total && html`, ${figure(distinct_total)} of them distinct`;
  return html`${figure(total)} ${total === 1 ? 'entry' : 'entries'}${distinct} · created ${moment(created_at)} · ${mode === 'live' ? 'live' : 'test key: the results are samples'}${!retries && ' · without retries'} · <code>${id}</code>`;
}

/** Pausing, or going on. */
function changeForm({ request, site }: Visit, batch: BatchDetails): Html | undefined {
  const state = stateOf(batch);
  if (state === 'completed') return undefined;
  const [verb, path] = state === 'paused' ? ['Resume', 'resume'] : ['Pause', 'pause'];
  return html`<form method="post" action="${site.link(`${pathOf(batch.id)}/${path}`)}">${formToken(request)}<button>${verb}</button></form>`;
}

async function resultsSection(visit: Visit, { db }: DashboardParts, progress: Progress): Promise<Html> {
  const { batch, verified, now } = progress;
  const { id, distinct_total, completed_at, expires_at } = batch;
  const isKept = expires_at === null || expires_at > now;
  const title = completed_at ? 'Results' : 'Results so far';
  const wanted = readWanted(valuesOf(visit.request));
  const linkTo = (filter: typeof wanted.filter) =>
    resultsLink(visit.site, id, { filter, sort: 'place', page: 1 });
  const reasons =
    verified > 0 &&
    reasonsTable(
      reasonsOfProgress(progress),
      verified,
      isKept ? (reason) => linkTo({ states: [], reason }) : undefined,
    );
  let content: Html;
  if (!isKept) content = goneWords(batch);
  else if (verified === 0) content = html`<p>There are no results yet.</p>`;
  else {
    const shown = await findResults(db, id, wanted, verified, distinct_total);
    const download = completed_at
      ? await downloadForm(visit, db, batch, shown)
      : html`<p class="note">As of ${moment(now)}. <a href="${resultsLink(visit.site, id, shown.wanted)}">Show the latest</a>. You can download the results when the batch is completed.</p>`;
    content = resultsPart(visit.site, id, shown, distinct_total, download);
  }
  return html`<section class="results" id="results" aria-labelledby="results-title">
<h2 id="results-title">${title}</h2>
${reasons && (completed_at ? reasons : html`<details><summary>Reasons so far</summary>${reasons}</details>`)}
${content}
</section>`;
}

function goneWords({ emptied_at, expires_at }: BatchDetails): Html {
  return html`<p class="warning">The addresses and their results were deleted at ${moment(emptied_at ?? expires_at!)}, when their time was over. The counts stay.</p>`;
}

async function downloadForm(
  { accountId, site }: Visit,
  db: DashboardParts['db'],
  { id, expires_at }: BatchDetails,
  { wanted: { filter }, count, isTooLarge }: Shown,
): Promise<Html | undefined> {
  const found = await findExportable(db, accountId, id);
  if (!found) return undefined;
  const isAll = isEmpty(filter);
  const what = isAll ? 'Download all' : isTooLarge ? 'Download what matches' : `Download ${addresses(count)}`;
  const hasChoice = found.list !== undefined || found.response_fields === null;
  const choices = Object.entries(COLUMN_CHOICES).map(
    ([value, text]) => html`<option value="${value}">${text}</option>`,
  );
  return html`<form class="download row" method="get" action="${site.link(`${pathOf(id)}/download`)}">${hidden(toQuery(filter))}
${hasChoice && html`<div class="field"><label for="columns">Columns</label><select id="columns" name="columns">${choices}</select></div>`}
<button class="primary"${!isAll && !isTooLarge && count === 0 && html` disabled`}>${what}</button>
<p class="note">A CSV file. ${found.list ? 'It has the columns of your file in their order, with the result after them. Duplicates are repeated and marked.' : 'Each distinct address is in it once.'} Results are kept until ${moment(expires_at!)}.</p></form>`;
}

/** What comes back is said before, as far as it can be known. */
function deletion(
  { request, site }: Visit,
  { refundUnknown }: DashboardParts,
  { batch, tally, verified }: Progress,
): Html {
  const { id, mode, completed_at, distinct_total, total } = batch;
  const { unknown } = totalCounts(tally, 0, total);
  const open = distinct_total - verified;
  const refund = open + (refundUnknown ? unknown : 0);
  const back =
    mode === 'test' || completed_at
      ? 'No credits are given back.'
      : `What is not verified by then is not verified any more. ${refund === 1 ? '1 credit is' : `About ${figure(refund)} credits are`} given back: one for each address without a result${refundUnknown ? ', and one for each unknown one' : ''}.`;
  return html`<details class="danger"><summary>Delete this batch…</summary>
<p>The addresses, their results, the counts and the callback log are lost. This cannot be undone. ${back}</p>
<form method="post" action="${site.link(`${pathOf(id)}/delete`)}">${formToken(request)}<button class="danger">Delete batch</button></form></details>`;
}
