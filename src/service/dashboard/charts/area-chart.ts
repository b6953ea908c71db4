/** A line chart of a value at the end of each day. d3-shape draws the line and the area below it. */
import { area, line } from 'd3-shape';
import { counted, figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import { chart, ticksUpTo } from './chart-frame.ts';
import { longDay } from './utc-days.ts';

/** The picture stretches to the width of the page. Its lines keep their thickness. */
const SIZE = 1000;

export interface ValueByDay {
  readonly id: string;
  readonly title: string;
  /** The counted unit: `credit`. */
  readonly unit: string;
  /** At least two, oldest first. */
  readonly points: readonly { readonly day: string; readonly value: number }[];
}

export function valueByDay({ id, title, unit, points }: ValueByDay): Html {
  const values = points.map(({ value }) => value);
  const ticks = ticksUpTo(Math.max(...values));
  const x = (_: number, index: number) => Math.round((SIZE * index) / (points.length - 1));
  const y = (value: number) => Math.round(SIZE * (1 - value / ticks.at(-1)!));
  const [first, last] = [points[0]!, points.at(-1)!];
  const lowest = points.reduce((least, point) => (point.value < least.value ? point : least));
  const words = `${counted(first.value, unit)} at the end of ${longDay(first.day)}, ${figure(last.value)} now. The lowest: ${figure(lowest.value)}, on ${longDay(lowest.day)}.`;
  const picture = html`<svg viewBox="0 0 ${String(SIZE)} ${String(SIZE)}" preserveAspectRatio="none" width="100%" height="100%">
<path class="area" d="${area<number>(x, SIZE, y)(values)!}"/>
<path class="line" vector-effect="non-scaling-stroke" d="${line<number>(x, y)(values)!}"/></svg>`;
  const table = html`<table><caption>${title}, by day (UTC)</caption>
<thead><tr><th scope="col">Day</th><th scope="col" class="number">${unit}s at its end</th></tr></thead>
<tbody>${points
    .map(
      ({ day, value }) =>
        html`<tr><th scope="row">${longDay(day)}</th><td class="number">${figure(value)}</td></tr>`,
    )
    .reverse()}</tbody></table>`;
  return chart({ id, title, words, days: points.map(({ day }) => day), ticks, picture, table });
}
