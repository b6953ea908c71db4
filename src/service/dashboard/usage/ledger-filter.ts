/** The filter of the ledger: month, kind, and view by day or row. Also the totals of all months. */
import { signed } from '../../core/format.ts';
import type { LedgerMonth } from '../../credits/history/ledger-store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { longMonth } from '../charts/utc-days.ts';
import { dataTable, numbers } from '../data-table.ts';
import { queryOf, type Wanted } from './ledger-selection.ts';
import { KINDS } from './ledger-words.ts';

export const PATH = '/dashboard/usage';

export function filterForm(wanted: Wanted, months: readonly LedgerMonth[], site: Site): Html {
  const option = (value: string, text: string, chosen: string | undefined) =>
    html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${text}</option>`;
  const month = wanted.month ?? wanted.day?.slice(0, 7);
  return html`<form class="filter" action="${site.link(PATH)}">
<div class="field"><label for="month">Month (UTC)</label><select id="month" name="month">
${option('', 'All', month)}${months.map((one) => option(one.month, longMonth(one.month), month))}</select></div>
<div class="field"><label for="why">Type of change</label><select id="why" name="why">
${option('', 'All', wanted.why)}${Object.entries(KINDS).map(([why, text]) => option(why, text, wanted.why))}</select></div>
<div class="field"><label for="view">View by</label><select id="view" name="view">
${option('', 'Day', wanted.isByRow ? 'rows' : '')}${option('rows', 'Change', wanted.isByRow ? 'rows' : '')}</select></div>
<button>Apply</button>
</form>`;
}

export function monthsTable(months: readonly LedgerMonth[], site: Site): Html {
  return html`<details id="months"><summary>Totals by month</summary>
${dataTable({
  ...{ label: 'Totals by month', caption: 'Totals by month (UTC)' },
  columns: ['Month', ...numbers('Added', 'Spent', 'Given back', 'Sum')],
  rows: months.map(({ month, added, spent, given_back }) => [
    html`<a href="${site.link(PATH + queryOf({ month }))}">${longMonth(month)}</a>`,
    ...[added, spent, given_back, added + spent + given_back].map(signed),
  ]),
})}</details>`;
}
