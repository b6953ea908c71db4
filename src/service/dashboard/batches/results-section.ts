/** The results on the page of a batch: by reason, as a table, and as a download. */
import { COLUMN_CHOICES } from '../../batch/export/export-columns.ts';
import { FORMATS, formatOf } from '../../batch/export/export-results.ts';
import { findExportable } from '../../batch/export/export-store.ts';
import type { BatchDetails } from '../../batch/overview/batch-overview-store.ts';
import { reasonCounts } from '../../batch/result-counts.ts';
import { isEmpty, type ResultFilter, SORTS, sayFilter, toQuery } from '../../batch/results/result-filter.ts';
import { readResultFacts } from '../../batch/results/result-store.ts';
import { addresses } from '../../core/format.ts';
import type { Db } from '../../database/schema.ts';
import { readRowNumbers } from '../../lists/list-store.ts';
import { type Html, html } from '../../pages/html.ts';
import { hidden } from '../../pages/page-layout.ts';
import { optionsOf } from '../form-fields.ts';
import { sayDownloadedSheets } from '../lists/other-sheets.ts';
import { moment } from '../moment.ts';
import type { Visit } from '../visit.ts';
import { pathOf } from './batch-paths.ts';
import { PARTS_LIVE_S, type Progress } from './batch-progress.ts';
import { REASON_TITLES } from './batch-words.ts';
import { reasonsTable } from './counts-section.ts';
import { valuesOf } from './query-values.ts';
import { findResults, readWanted, resultsLink, resultsPart, type Shown } from './result-matches.ts';

/** Seconds until the page looks for the first results. */
const FIRST_LIVE_S = 3;

/** The filter, the order and the page of the results, for the title of the page. */
export function titlePartsOf({ request }: Visit): (string | false)[] {
  const { filter, sort, page } = readWanted(valuesOf(request));
  return [...sayFilter(filter, REASON_TITLES), sort !== 'place' && SORTS[sort], page > 1 && `page ${page}`];
}

/** The results, or why there are none. */
export async function resultsSection(visit: Visit, db: Db, progress: Progress): Promise<Html> {
  const { batch, verified, now } = progress;
  const { id, distinct_total, completed_at, expires_at } = batch;
  const isKept = expires_at === null || expires_at > now;
  const wanted = readWanted(valuesOf(visit.request));
  const linkTo = (filter: Omit<ResultFilter, 'states'>) =>
    resultsLink(visit.site, id, { filter: { states: [], ...filter }, sort: 'place', page: 1 });
  const counts = reasonCounts(progress.tally);
  const reasons =
    verified > 0 && reasonsTable(counts, batch.acceptAllResults, verified, isKept ? linkTo : undefined);
  let content: Html;
  const isEmpty = verified === 0;
  if (!isKept) content = goneWords(batch);
  else if (isEmpty && completed_at)
    content = html`<p>The batch was stopped before any address had a result.</p>`;
  else if (isEmpty)
    content = html`<p>There are no results yet. <a href="${visit.site.link(pathOf(id))}">Look again</a></p>`;
  else {
    // An address is erased from completed batches only.
    const facts = completed_at ? await readResultFacts(db, id) : { erased: 0, hasAcceptAll: true };
    const { erased } = facts;
    const distinct = distinct_total - erased;
    const shown = await findResults(db, id, wanted, verified - erased, distinct);
    const places = shown.rows.map(({ place }) => place);
    const numbers = await readRowNumbers(db, id, places);
    const form = await downloadForm(visit, db, batch, shown);
    const download = completed_at
      ? form
      : html`<p class="note">The table shows the results from when you opened the page. <a href="${resultsLink(visit.site, id, shown.wanted)}">Show the latest</a>.</p>${form}`;
    content = resultsPart(visit.site, id, {
      ...{ ...shown, ...facts, numbers, distinct, download },
      isOpen: !completed_at,
    });
  }
  return html`<section class="results" id="results" aria-labelledby="results-title"${isEmpty && !completed_at && html` data-live="${FIRST_LIVE_S}"`}>
<h2 id="results-title">Results</h2>
${reasons && reasonsPart(reasons, completed_at !== null)}
${content}
</section>`;
}

/** Folded while the batch is open, because the states are shown above. */
const reasonsPart = (reasons: Html, isCompleted: boolean): Html =>
  isCompleted
    ? html`<div id="reasons">${reasons}</div>`
    : html`<div id="reasons" data-live="${PARTS_LIVE_S}"><details id="reasons-so-far"><summary>Reasons so far</summary>${reasons}</details></div>`;

const goneWords = ({ emptied_at, expires_at }: BatchDetails): Html =>
  html`<p class="warning">The addresses and their results were deleted at ${moment(emptied_at ?? expires_at!)}, when their retention time ended. The counts remain.</p>`;

async function downloadForm(
  { accountId, site, may }: Visit,
  db: Db,
  { id, expires_at, acceptAllResults }: BatchDetails,
  { wanted: { filter }, count, isTooLarge }: Shown,
): Promise<Html | undefined> {
  const found = may('download') ? await findExportable(db, accountId, id) : undefined;
  if (!found) return undefined;
  const isAll = isEmpty(filter);
  const what = isAll
    ? found.is_open
      ? 'Download all so far'
      : 'Download all'
    : isTooLarge
      ? 'Download what matches'
      : `Download ${addresses(count)}`;
  const hasChoice = found.list !== undefined || found.response_fields === null;
  const hasReason = found.response_fields === null || found.response_fields.includes('reason');
  const only = [...ONLY, ...(acceptAllResults > 0 ? [ACCEPT_ALL_ONLY] : [])].map(
    ([text, rows], index) =>
      html`${index > 0 && ' or '}<span class="only"><a href="${site.link(`${pathOf(id)}/download?${new URLSearchParams([...toQuery(rows), ['reasons', 'words']])}`)}" download>${text}</a></span>`,
  );
  const sheets = found.list && sayDownloadedSheets(found.list.findings);
  const formats = optionsOf(Object.entries(FORMATS), formatOf(found));
  return html`<form class="download row" method="get" action="${site.link(`${pathOf(id)}/download`)}">${hidden(toQuery(filter))}
${hasChoice && html`<div class="field"><label for="columns">Columns</label><select id="columns" name="columns">${optionsOf(Object.entries(COLUMN_CHOICES))}</select></div>`}
<div class="field"><label for="format">File</label><select id="format" name="format">${formats}</select></div>
${hasReason && html`<div class="field"><label for="reasons-as">Reasons</label><select id="reasons-as" name="reasons"><option value="words">In words</option><option value="codes">As codes, for programs</option></select></div>`}
<button class="primary"${!isAll && !isTooLarge && count === 0 && html` disabled`}>${what}</button>
<p class="note">${found.list ? 'The file is written like yours, with its columns in their order and the result after them. Duplicates are repeated and marked, and rows that were left out say “not verified”.' : 'Each distinct address is in it once.'}${found.is_open && ' Addresses without a result say “not yet verified”.'}${sheets !== undefined && ` ${sheets}`}${expires_at !== null && html` Results are kept until ${moment(expires_at)}.`}
${isAll && html`Or download ${only}.`}</p></form>`;
}

/** Further choices, with the duplicates. */
const ONLY: readonly (readonly [string, ResultFilter])[] = [
  ['deliverable only', { states: ['deliverable'] }],
  ['all but undeliverable', { states: ['deliverable', 'risky', 'unknown'] }],
];
const ACCEPT_ALL_ONLY = ['accept-all only', { states: [], attribute: 'accept_all' }] as const;
