/** The counts of a batch: a bar of its states, and a table of its reasons. */
import type { State } from '../../../protocol/result.ts';
import { reasonsIn, STATE_OF_REASON } from '../../../protocol/state-of-reason.ts';
import type { ReasonCounts } from '../../batch/result-counts.ts';
import type { ResultFilter } from '../../batch/results/result-filter.ts';
import { figure, share } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { dataTable, numbers } from '../data-table.ts';
import { REASON_TITLES, REASON_WORDS } from './batch-words.ts';
import { BAR_ORDER, type StateCounts, stateBar, stateLegend, sumOf } from './state-bar.ts';

/** @param acceptAll how many are at domains that accept every address @param total the distinct addresses of the batch */
export const statesChart = (counts: StateCounts, acceptAll: number, total: number): Html =>
  html`<div class="states">${stateBar(counts, acceptAll, total)}${stateLegend(counts, acceptAll, sumOf(counts))}</div>`;

type Wanted = Pick<ResultFilter, 'reason' | 'attribute'>;

/** @param linkTo the results with a reason or at accept-all domains, if they can be shown */
export function reasonsTable(
  counts: ReasonCounts,
  acceptAll: number,
  total: number,
  linkTo: ((filter: Wanted) => string) | undefined,
): Html {
  const found = BAR_ORDER.flatMap(reasonsIn).filter((reason) => counts[reason] > 0);
  const row = (word: Html, filter: Wanted, state: State, meaning: string, count: number) => {
    const linked = linkTo ? html`<a href="${linkTo(filter)}">${word}</a>` : word;
    const badge = html`<span class="state ${state}">${state}</span>`;
    return [linked, badge, meaning, figure(count), share(count, total)];
  };
  const rows = found.flatMap((reason) => {
    const state = STATE_OF_REASON[reason];
    const title = html`${REASON_TITLES[reason]}`;
    const ofReason = row(title, { reason }, state, REASON_WORDS[reason], counts[reason]);
    if (reason !== 'low_deliverability' || acceptAll === 0) return [ofReason];
    const meaning = 'Of these: the domain accepts every address, so nobody can know whether this one exists.';
    return [ofReason, row(html`accept-all`, { attribute: 'accept_all' }, state, meaning, acceptAll)];
  });
  return dataTable({
    ...{ label: 'Results by reason', caption: 'Results by reason', rows },
    columns: ['Reason', 'State', { title: 'Meaning', css: 'words' }, ...numbers('Addresses', 'Share')],
  });
}
