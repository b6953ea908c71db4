/**
 * A bar of the results by state. Accept-all domains are a group of their own, beside what else is risky. Each group has a
 * colour and a pattern. The figures next to the bar are text, so the bar needs no description.
 */
import { STATES, type State } from '../../../protocol/result.ts';
import { figure, share } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';

export type StateCounts = Readonly<Record<State, number>>;

type Group = State | 'accept-all';

/** Must be on the page once. Other elements can use its patterns although it has no size. */
export const STATE_PATTERNS: Html = html`<svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>
<pattern id="bar-deliverable" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="ink deliverable" width="8" height="8"/></pattern>
<pattern id="bar-risky" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="ink risky" width="8" height="8"/><circle class="gap" cx="4" cy="4" r="1.75"/></pattern>
<pattern id="bar-accept-all" width="8" height="8" patternUnits="userSpaceOnUse"><rect class="ink risky" width="8" height="8"/><rect class="gap" width="2.5" height="8"/></pattern>
<pattern id="bar-unknown" width="8" height="6" patternUnits="userSpaceOnUse"><rect class="ink unknown" width="8" height="6"/><rect class="gap" width="8" height="2.5"/></pattern>
<pattern id="bar-undeliverable" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ink undeliverable" width="8" height="8"/><rect class="gap" width="3" height="8"/></pattern>
</defs></svg>`;

/** The order of the states on every page: from usable to unusable, then unknown. */
export const BAR_ORDER: readonly State[] = ['deliverable', 'risky', 'undeliverable', 'unknown'];

/** With the groups among the states. */
const GROUP_ORDER: readonly Group[] = ['deliverable', 'accept-all', 'risky', 'undeliverable', 'unknown'];

/** The gap between two groups, in per cent of the bar. */
const GAP = 0.25;

/**
 * @param acceptAll how many of the risky addresses are at domains that accept every address
 * @param total the number that fills the whole bar. The rest stays empty.
 */
export function stateBar(counts: StateCounts, acceptAll: number, total: number): Html {
  let from = 0;
  const parts = groupsOf(counts, acceptAll).map(([group, count]) => {
    if (count === 0) return false;
    const width = (count / total) * 100;
    const x = from;
    from += width;
    // Keeps a group with few addresses visible.
    return html`<rect x="${percent(x)}" width="${percent(Math.max(width - GAP, 0.35))}" height="100%" fill="url(#bar-${group})"/>`;
  });
  return html`<svg class="state-bar" width="100%" height="20" aria-hidden="true" focusable="false"><rect class="track" width="100%" height="100%"/>${parts}</svg>`;
}

/** A sample of each pattern with its group and its figure. */
export function stateLegend(counts: StateCounts, acceptAll: number, total: number): Html {
  const items = groupsOf(counts, acceptAll).map(
    ([group, count]) =>
      html`<li>${swatch(group)} <span class="state ${group === 'accept-all' ? 'risky' : group}">${group === 'risky' && acceptAll > 0 ? 'other risky' : group}</span> <span class="count">${figure(count)} <span class="note">${share(count, total)}</span></span></li>`,
  );
  return html`<ul class="legend row">${items}</ul>`;
}

/** Without accept-all domains, there are only the states. */
function groupsOf(counts: StateCounts, acceptAll: number): [Group, number][] {
  const groups = { ...counts, risky: counts.risky - acceptAll, 'accept-all': acceptAll };
  const shown = GROUP_ORDER.filter((group) => group !== 'accept-all' || acceptAll > 0);
  return shown.map((group) => [group, groups[group]]);
}

export const swatch = (group: Group): Html =>
  html`<svg class="swatch" width="16" height="16" aria-hidden="true" focusable="false"><rect width="100%" height="100%" rx="3" fill="url(#bar-${group})"/></svg>`;

export const sumOf = (counts: StateCounts): number => STATES.reduce((sum, state) => sum + counts[state], 0);

const percent = (value: number): string => `${Number(value.toFixed(3))}%`;
