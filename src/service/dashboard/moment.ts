/** A time on a page, in UTC. With scripts, `src/dashboard/times.ts` shows it in the reader's time zone. */
import { momentText } from '../core/format.ts';
import { type Html, html } from '../pages/html.ts';

export const moment = (at: Date): Html => html`<time datetime="${at.toISOString()}">${momentText(at)}</time>`;

/** As `momentText` writes it. */
const MOMENT = /(\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d UTC)/;

/** A message of the API on a page: its moments, too, are shown in the reader's time zone. */
export const withMoments = (text: string): Html =>
  html`${text.split(MOMENT).map((part, index) => (index % 2 === 0 ? part : moment(new Date(part))))}`;
