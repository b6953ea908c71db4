/** A time on a page, in UTC. With scripts, `src/dashboard/times.ts` shows it in the reader's time zone. */
import { type Html, html } from '../pages/html.ts';

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** The same as plain text. */
export const momentText = (at: Date): string => `${FORMAT.format(at)} UTC`;

export const moment = (at: Date): Html => html`<time datetime="${at.toISOString()}">${momentText(at)}</time>`;
