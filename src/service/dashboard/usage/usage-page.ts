/** `/dashboard/usage`: every change of credits, and why. */
import { counted, signed } from '../../core/format.ts';
import {
  readClosed,
  readDays,
  readMonths,
  readRows,
  readTotal,
  type Selection,
} from '../../credits/history/ledger-store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { longDay, longMonth } from '../charts/utc-days.ts';
import { createCsvSender } from '../csv-file.ts';
import { done } from '../done.ts';
import { addGuardedDownload, CONFIRMED } from '../guarded-form.ts';
import { moreCreditsWords } from '../more-credits-words.ts';
import { titleOf } from '../titles.ts';
import { addPage, type DashboardDeps, type DashboardScope } from '../visit.ts';
import { daysTable } from './ledger-by-day.ts';
import { rowsTable } from './ledger-by-row.ts';
import { ledgerFile } from './ledger-export.ts';
import { filterForm, monthsTable, PATH } from './ledger-filter.ts';
import { queryOf, readSelection, type Wanted } from './ledger-selection.ts';
import { KINDS } from './ledger-words.ts';

/** For a part of the ledger that has sums and no changes. */
const CLOSED = html`<p class="empty">The single changes are no longer kept. The totals by month have their sums.</p>`;

/** Below the oldest changes that are kept, if there were older ones. */
const CLOSED_BEFORE = html`<p class="note">Older changes are no longer kept one by one. The totals by month have their sums.</p>`;

const DAYS_OF_PAGE = 31;
const ROWS_OF_PAGE = 50;

export function usagePages(scope: DashboardScope, deps: DashboardDeps): void {
  const { db, log } = deps;
  const sendCsv = createCsvSender({ log, downloadMs: scope.downloadMs });

  /** The table, and the query of the page with earlier changes. */
  async function partOf(
    accountId: string,
    wanted: Wanted,
    site: Site,
  ): Promise<{ table: Html; earlier?: string }> {
    const { month, day, why, isByRow, beforeRow, beforeDay } = wanted;
    const caption = sayPart(wanted);
    // One extra row tells whether there are more.
    if (isByRow) {
      const found = await readRows(db, accountId, wanted, { limit: ROWS_OF_PAGE + 1, before: beforeRow });
      const rows = found.slice(0, ROWS_OF_PAGE);
      const before = found.length > rows.length ? rows.at(-1)!.id : undefined;
      const table = rows.length > 0 ? rowsTable(rows, caption, site) : CLOSED;
      if (before === undefined) return { table };
      return { table, earlier: queryOf({ month, day, why, view: 'rows', before }) };
    }
    const found = await readDays(db, accountId, wanted, { limit: DAYS_OF_PAGE + 1, before: beforeDay });
    const days = found.slice(0, DAYS_OF_PAGE);
    const before = found.length > days.length ? days.at(-1)!.day : undefined;
    const table = days.length > 0 ? daysTable(days, wanted, caption, site) : CLOSED;
    return before === undefined ? { table } : { table, earlier: queryOf({ month, why, before }) };
  }

  addPage(scope, PATH, { right: 'see' }, async (visit) => {
    const { request, accountId, site, send } = visit;
    const wanted = readSelection(request);
    const months = await readMonths(db, accountId);
    if (months.length === 0)
      return send({ title: 'Usage', main: noChanges(site, moreCreditsWords(deps, accountId)) });
    const { month, day, why, isByRow } = wanted;
    const total = await readTotal(db, accountId, wanted);
    const { table, earlier } = await partOf(accountId, wanted, site);
    const isClosedBefore =
      earlier === undefined && table !== CLOSED && (await readClosed(db, accountId, wanted)).length > 0;
    const newest = queryOf({ month, day, why, view: isByRow ? 'rows' : undefined });
    const isFurther = wanted.beforeRow !== undefined || wanted.beforeDay !== undefined;
    return send({
      title: titleOf('Usage', [
        (month ?? day ?? why) !== undefined && sayPart(wanted),
        isByRow && 'each change',
        isFurther && 'earlier',
      ]),
      main: html`<div class="split"><h1>Usage</h1>
<a class="button" href="${site.link(`${PATH}.csv${queryOf({ month, day, why })}`)}">Download as CSV</a></div>
${done(visit, CONFIRMED)}
${filterForm(wanted, months, site)}
<p><strong>${sayPart(wanted)}:</strong> ${counted(total.count, 'change')}, ${signed(total.amount)} credits in all.
${day !== undefined && html`<a href="${site.link(PATH + queryOf({ month: day.slice(0, 7), why }))}">All days of ${longMonth(day.slice(0, 7))}</a>`}</p>
${total.count > 0 ? table : html`<p class="empty">There are no such changes. Choose another month or another type of change.</p>`}
${isClosedBefore && CLOSED_BEFORE}
${
  (isFurther || earlier !== undefined) &&
  html`<nav class="split" aria-label="Pages of changes">
${isFurther ? html`<a href="${site.link(PATH + newest)}">Newest</a>` : html`<span></span>`}
${earlier !== undefined && html`<a href="${site.link(PATH + earlier)}">Earlier</a>`}</nav>`
}
${monthsTable(months, site)}`,
    });
  });

  addGuardedDownload(scope, deps, {
    ...{ path: `${PATH}.csv`, right: 'see', purpose: 'download the changes of credits', back: PATH },
    send(visit) {
      const wanted: Selection = readSelection(visit.request);
      return sendCsv(visit, ledgerFile(db, visit.accountId, wanted));
    },
  });
}

function sayPart({ month, day, why }: Selection): string {
  const kind = why === undefined ? 'All changes' : KINDS[why];
  if (day !== undefined) return `${kind} on ${longDay(day)} (UTC)`;
  return month === undefined ? kind : `${kind} in ${longMonth(month)} (UTC)`;
}

const noChanges = (site: Site, moreCredits: Html): Html => html`<h1>Usage</h1>
<div class="empty"><p>Your account has had no credits yet. Each change of your credits will be listed here, with its reason.</p>
<p>The operator of this server adds credits. ${moreCredits} Test keys need none, so you can try everything now.</p>
<a class="button primary" href="${site.link('/dashboard/keys/new')}">Create a test key</a></div>`;
