/**
 * The frame of a chart: its title, a description, the axes, and a table of the same figures. The axes are text of the
 * page, not of the picture, so they keep their size in a narrow window.
 */
import { scaleLinear } from 'd3-scale';
import { compact } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { shortDay } from './utc-days.ts';

export interface Frame {
  /** Unique on the page. */
  readonly id: string;
  /** What the chart shows. The page has a heading with the same meaning above it. */
  readonly title: string;
  /** What the picture shows, in a sentence or two. */
  readonly words: string;
  readonly days: readonly string[];
  readonly ticks: readonly number[];
  /** The content of the picture, in per cent of its width and height. */
  readonly picture: Html;
  readonly legend?: Html | undefined;
  readonly table: Html;
}

export function chart({ id, title, words, days, ticks, picture, legend, table }: Frame): Html {
  const highest = ticks.at(-1)!;
  const lines = ticks.map((tick) => {
    const y = percent(1 - tick / highest);
    return html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
  });
  return html`<figure class="chart" id="${id}">
<figcaption class="note">${words} Days are in UTC.</figcaption>
<div class="plot">
<div class="scale" aria-hidden="true">${[...ticks].reverse().map((tick) => html`<span>${compact(tick)}</span>`)}</div>
<svg class="picture" role="img" aria-label="${title}" focusable="false">${lines}${picture}</svg>
<div class="span" aria-hidden="true">${marksOf(days).map((day) => html`<span>${shortDay(day)}</span>`)}</div>
</div>
${legend}
<details id="${id}-details"><summary aria-label="Show as a table: ${title}">Show as a table</summary>
<div class="scroll" role="region" aria-label="${title}" tabindex="0">${table}</div></details>
</figure>`;
}

export const percent = (part: number): string => `${Math.round(part * 10_000) / 100}%`;

/** The steps of the scale, from 0 to a round number above the most. */
export function ticksUpTo(most: number): number[] {
  // Whole steps only, because results are whole numbers.
  return scaleLinear()
    .domain([0, Math.max(most, 4)])
    .nice(4)
    .ticks(4);
}

/** The days with a label below the picture: the first, the middle and the last one. */
const marksOf = (days: readonly string[]): string[] =>
  [...new Set([0, (days.length - 1) >> 1, days.length - 1])].map((index) => days[index]!);
