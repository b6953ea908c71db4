/** What the page of a batch says of its results: by reason, as a table, and as a file. */
import { reasonCounts } from '../../batch/counts.ts';
import { COLUMN_CHOICES } from '../../batch/export/columns.ts';
import { findExportable } from '../../batch/export/store.ts';
import type { BatchDetails } from '../../batch/overview/store.ts';
import { isEmpty, toQuery } from '../../batch/results/filter.ts';
import type { Db } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/layout.ts';
import { moment } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { reasonsTable } from './counts.ts';
import { pathOf } from './paths.ts';
import type { Progress } from './progress.ts';
import { findResults, readWanted, resultsLink, resultsPart, type Shown, type Wanted } from './results.ts';
import { valuesOf } from './values.ts';
import { addresses } from './words.ts';

/** How soon the download is there once the batch is completed. */
const DOWNLOAD_LIVE_S = 10;

/** The results, or why there are none. */
export async function resultsSection(visit: Visit, db: Db, progress: Progress): Promise<Html> {
  const { batch, verified, now } = progress;
  const { id, distinct_total, completed_at, expires_at } = batch;
  const isKept = expires_at === null || expires_at > now;
  const title = completed_at ? 'Results' : 'Results so far';
  const wanted = readWanted(valuesOf(visit.request));
  const linkTo = (filter: Wanted['filter']) =>
    resultsLink(visit.site, id, { filter, sort: 'place', page: 1 });
  const reasons =
    verified > 0 &&
    reasonsTable(
      reasonCounts(progress.tally),
      verified,
      isKept ? (reason) => linkTo({ states: [], reason }) : undefined,
    );
  let content: Html;
  if (!isKept) content = goneWords(batch);
  else if (verified === 0) content = html`<p>There are no results yet.</p>`;
  else {
    const shown = await findResults(db, id, wanted, verified, distinct_total);
    const download = completed_at
      ? html`<div id="download">${await downloadForm(visit, db, batch, shown)}</div>`
      : html`<div id="download" data-live="${DOWNLOAD_LIVE_S}"><p class="note">The table shows what there was when you opened the page. <a href="${resultsLink(visit.site, id, shown.wanted)}">Show the latest</a>. You can download the results when the batch is completed.</p></div>`;
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
  db: Db,
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
