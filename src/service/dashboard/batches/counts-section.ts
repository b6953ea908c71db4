/** The counts of a batch: a bar of its states, and a table of its reasons. */

import { REASONS, type Reason } from '../../../protocol/result.ts';
import { STATE_OF_REASON } from '../../../protocol/state-of-reason.ts';
import type { ReasonCounts } from '../../batch/result-counts.ts';
import { figure, share } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { REASON_WORDS } from './batch-words.ts';
import { BAR_ORDER, type StateCounts, stateBar, stateLegend, sumOf } from './state-bar.ts';

/** @param total the distinct addresses of the batch */
export const statesChart = (counts: StateCounts, total: number): Html =>
  html`<div class="states">${stateBar(counts, total)}${stateLegend(counts, sumOf(counts))}</div>`;

/** @param linkTo the results with this reason, if they can be shown */
export function reasonsTable(
  counts: ReasonCounts,
  total: number,
  linkTo: ((reason: Reason) => string) | undefined,
): Html {
  const found = BAR_ORDER.flatMap((state) =>
    REASONS.filter((reason) => STATE_OF_REASON[reason] === state && counts[reason] > 0),
  );
  const rows = found.map((reason) => {
    const state = STATE_OF_REASON[reason];
    const word = html`<code>${reason}</code>`;
    return html`<tr><th scope="row">${linkTo ? html`<a href="${linkTo(reason)}">${word}</a>` : word}</th>
<td><span class="state ${state}">${state}</span></td><td class="words">${REASON_WORDS[reason]}</td>
<td class="number">${figure(counts[reason])}</td><td class="number">${share(counts[reason], total)}</td></tr>`;
  });
  return html`<div class="scroll" role="region" aria-label="Results by reason" tabindex="0"><table>
<caption>Results by reason</caption>
<thead><tr><th scope="col">Reason</th><th scope="col">State</th><th scope="col">Meaning</th><th scope="col" class="number">Addresses</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}
