/**
 * A bar of the results by state. Each state has a colour and a pattern. The figures next to the bar are text, so the
 * bar needs no description.
 */

import { STATES, type State } from '../../../protocol/result.ts';
import { figure, share } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';

export type StateCounts = Readonly<Record<State, number>>;

/** Must be on the page once. Other elements can use its patterns although it has no size. */
export const STATE_PATTERNS: Html = html`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>
<pattern id="bar-deliverable" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="ink deliverable" width="8" height="8"/></pattern>
<pattern id="bar-risky" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="ink risky" width="8" height="8"/><circle class="gap" cx="4" cy="4" r="1.75"/></pattern>
<pattern id="bar-unknown" width="8" height="6" patternUnits="userSpaceOnUse"><rect class="ink unknown" width="8" height="6"/><rect class="gap" width="8" height="2.5"/></pattern>
<pattern id="bar-undeliverable" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ink undeliverable" width="8" height="8"/><rect class="gap" width="3" height="8"/></pattern>
</defs></svg>`;

/** The order of the states on every page: from usable to unusable, then unknown. */
export const BAR_ORDER: readonly State[] = ['deliverable', 'risky', 'undeliverable', 'unknown'];

/** The gap between two states, in per cent of the bar. */
const GAP = 0.25;

/** @param total the number that fills the whole bar. The rest stays empty. */
export function stateBar(counts: StateCounts, total: number): Html {
  let from = 0;
  const parts = BAR_ORDER.filter((state) => counts[state] > 0).map((state) => {
    const width = (counts[state] / total) * 100;
    const x = from;
    from += width;
    // Keeps a state with few addresses visible.
    return html`<rect x="${percent(x)}" width="${percent(Math.max(width - GAP, 0.35))}" height="100%" fill="url(#bar-${state})"/>`;
  });
  return html`<svg class="state-bar" width="100%" height="20" aria-hidden="true" focusable="false"><rect class="track" width="100%" height="100%"/>${parts}</svg>`;
}

/** A sample of each pattern with its state and its figure. */
export function stateLegend(counts: StateCounts, total: number): Html {
  const items = BAR_ORDER.map(
    (state) =>
      html`<li>${swatch(state)} <span class="state ${state}">${state}</span> <span class="count">${figure(counts[state])} <span class="note">${share(counts[state], total)}</span></span></li>`,
  );
  return html`<ul class="legend row">${items}</ul>`;
}

export const swatch = (state: State): Html =>
  html`<svg class="swatch" width="16" height="16" aria-hidden="true" focusable="false"><rect width="100%" height="100%" rx="3" fill="url(#bar-${state})"/></svg>`;

export const sumOf = (counts: StateCounts): number => STATES.reduce((sum, state) => sum + counts[state], 0);

const percent = (value: number): string => `${Number(value.toFixed(3))}%`;
