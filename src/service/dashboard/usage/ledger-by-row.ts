/** Single changes of credits. */

import { figure, signed } from '../../core/format.ts';
import type { LedgerRow } from '../../credits/history/ledger-store.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { moment } from '../moment.ts';
import { sayWhy } from './ledger-words.ts';

/** @param caption which part of the ledger it shows */
export function rowsTable(rows: readonly LedgerRow[], caption: string, site: Site): Html {
  const sum = rows.reduce((total, { amount }) => total + amount, 0);
  return html`<div class="scroll" role="region" aria-label="Changes" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Why</th><th scope="col" class="number">Credits</th><th scope="col" class="number">Credits after it</th></tr></thead>
<tbody>${rows.map(
    (row) => html`<tr><td class="time">${moment(row.at)}</td><td class="why">${sayWhy(row, site)}</td>
<td class="number">${signed(row.amount)}</td><td class="number">${figure(row.balance)}</td></tr>`,
  )}</tbody>
<tfoot><tr><th scope="row" colspan="2">Sum of these changes</th><td class="number">${signed(sum)}</td><td></td></tr></tfoot>
</table></div>`;
}
