/**
 * Stacked bars by day. Each series has a colour and a pattern, so that readers need not tell colours apart. d3-scale
 * computes the bands and the round steps, which are easy to get slightly wrong.
 */
import { scaleBand } from 'd3-scale';
import { counted, figure, share } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { chart, percent, ticksUpTo } from './chart-frame.ts';
import { longDay } from './utc-days.ts';

/** `path` draws the pattern in a square of 6 pixels. Without one, the bar is plain. */
const PATTERNS = {
  plain: undefined,
  rising: 'M-1.5 1.5l3-3M0 6l6-6M4.5 7.5l3-3',
  level: 'M0 3h6',
  dotted: 'M1.5 1.5h.01M4.5 4.5h.01',
  falling: 'M-1.5 4.5l3 3M0 0l6 6M4.5-1.5l3 3',
  upright: 'M3 0v6',
} as const;

export interface Series {
  /** The style sheet has a colour for this name, as `.bar.deliverable`. */
  readonly name: string;
  readonly label: string;
  readonly pattern: keyof typeof PATTERNS;
}

/** The four states of results. */
export const STATE_SERIES: readonly Series[] = [
  { name: 'deliverable', label: 'deliverable', pattern: 'plain' },
  { name: 'risky', label: 'risky', pattern: 'dotted' },
  { name: 'undeliverable', label: 'undeliverable', pattern: 'rising' },
  { name: 'unknown', label: 'unknown', pattern: 'level' },
];

export interface BarsByDay {
  readonly id: string;
  readonly title: string;
  readonly series: readonly Series[];
  /** The counted unit: `result`. */
  readonly unit: string;
  /** Oldest day first. The values are in the order of the series. */
  readonly days: readonly { readonly day: string; readonly values: readonly number[] }[];
}

export function barsByDay({ id, title, series, unit, days }: BarsByDay): Html {
  const sums = days.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(...sums);
  const ticks = ticksUpTo(most);
  const names = days.map(({ day }) => day);
  const band = scaleBand(names, [0, 1]).padding(0.2);
  const all = sums.reduce((sum, value) => sum + value, 0);
  const totals = series.map((_, index) => days.reduce((sum, { values }) => sum + values[index]!, 0));

  const bars = days.map(({ day, values }) => {
    let below = 0;
    const parts = values.map((value, index) => {
      if (value === 0) return undefined;
      below += value;
      const top = ticks.at(-1)!;
      const place = html`x="${percent(band(day)!)}" width="${percent(band.bandwidth())}" y="${percent(1 - below / top)}" height="${percent(value / top)}"`;
      return painted(id, series[index]!, place);
    });
    const said = series.flatMap(({ label }, index) =>
      values[index]! > 0 ? `${figure(values[index]!)} ${label}` : [],
    );
    return html`<g><title>${longDay(day)}: ${said.join(', ') || 'none'}</title>${parts}</g>`;
  });
  const busiest = names[sums.indexOf(most)]!;
  const words =
    all === 0
      ? `No ${unit}s in ${counted(days.length, 'day')}.`
      : `${counted(all, unit)} in ${counted(days.length, 'day')}, ${share(totals[0]!, all)} ${series[0]!.label}. The most on one day: ${figure(most)}, on ${longDay(busiest)}.`;
  const legend = html`<ul class="legend row">${series.map(
    (one, index) =>
      html`<li><svg class="swatch" aria-hidden="true" focusable="false">${painted(id, one, html`width="100%" height="100%"`)}</svg>
<span class="state ${one.name}">${one.label}</span> <span class="count">${figure(totals[index]!)}</span></li>`,
  )}</ul>`;
  const table = html`<table><caption>${title}, by day (UTC)</caption>
<thead><tr><th scope="col">Day</th>${series.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}<th scope="col" class="number">all</th></tr></thead>
<tbody>${days
    .map(
      ({ day, values }, index) =>
        html`<tr><th scope="row">${longDay(day)}</th>${values.map((value) => html`<td class="number">${figure(value)}</td>`)}<td class="number">${figure(sums[index]!)}</td></tr>`,
    )
    .reverse()}</tbody></table>`;
  const picture = html`<defs>${series.map((one) => patternOf(id, one))}</defs>${bars}`;
  return chart({ id, title, words, days: names, ticks, picture, legend, table });
}

/** A rectangle in the colour of the series, and its pattern on top. */
function painted(id: string, { name, pattern }: Series, place: Html): Html {
  return html`<rect class="bar ${name}" ${place}/>${
    pattern !== 'plain' && html`<rect fill="url(#${id}-${name})" ${place}/>`
  }`;
}

function patternOf(id: string, { name, pattern }: Series): Html | undefined {
  const path = PATTERNS[pattern];
  if (path === undefined) return undefined;
  return html`<pattern id="${id}-${name}" width="6" height="6" patternUnits="userSpaceOnUse"><path class="cut" d="${path}"/></pattern>`;
}
