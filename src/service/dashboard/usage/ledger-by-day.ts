/** The ledger by day, so that single verifications do not bury other changes. Each day links to its changes. */

import { figure, signed } from '../../core/format.ts';
import type { LedgerDay } from '../../credits/history/ledger-store.ts';
import type { LedgerReason } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { longDay } from '../charts/utc-days.ts';
import { PATH } from './ledger-filter.ts';
import { queryOf, type Wanted } from './ledger-selection.ts';

const COLUMNS: readonly (readonly [string, readonly LedgerReason[]])[] = [
  ['Verifications', ['verification']],
  ['Batches', ['batch']],
  ['Given back', ['refund', 'batch-refund']],
  ['Added', ['top-up', 'billing']],
];

const sum = (amounts: readonly { readonly amount: number }[]): number =>
  amounts.reduce((total, { amount }) => total + amount, 0);

const cell = (amount: number): Html => html`<td class="number">${amount === 0 ? '–' : signed(amount)}</td>`;

/** @param caption which part of the ledger it shows */
export function daysTable(days: readonly LedgerDay[], { why }: Wanted, caption: string, site: Site): Html {
  const columns = why === undefined ? COLUMNS : COLUMNS.filter(([, kinds]) => kinds.includes(why));
  const of = ({ sums }: Pick<LedgerDay, 'sums'>, kinds: readonly LedgerReason[]) =>
    sum(sums.filter((one) => kinds.includes(one.why)));
  const all = { sums: days.flatMap(({ sums }) => sums) };
  const isSummed = columns.length > 1;
  return html`<div class="scroll" role="region" aria-label="Changes by day" tabindex="0"><table>
<caption>${caption}. Days are in UTC.</caption>
<thead><tr><th scope="col">Day</th>${columns.map(([title]) => html`<th scope="col" class="number">${title}</th>`)}
${isSummed && html`<th scope="col" class="number">Sum</th>`}<th scope="col" class="number">Credits at its end</th></tr></thead>
<tbody>${days.map(
    (
      day,
    ) => html`<tr><th scope="row"><a href="${site.link(PATH + queryOf({ day: day.day, why }))}">${longDay(day.day)}</a></th>
${columns.map(([, kinds]) => cell(of(day, kinds)))}${isSummed && cell(sum(day.sums))}<td class="number">${figure(day.balance)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Sum of these days</th>${columns.map(([, kinds]) => cell(of(all, kinds)))}${isSummed && cell(sum(all.sums))}<td></td></tr></tfoot>
</table></div>`;
}
