/** Numbers, counts and times on the pages of lists. */
import { type Html, html } from '../../pages/html.ts';

const FORMAT = new Intl.NumberFormat('en');

/** With a separator of thousands. */
export const figure = (count: number): string => FORMAT.format(count);

/** `1 row`, `2,000 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${figure(count)} ${count === 1 ? one : many}`;

/** In UTC. Scripts change it to the reader's time zone. */
export const moment = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(11, 16)} UTC</time>`;
