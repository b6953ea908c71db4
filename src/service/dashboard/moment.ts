/** A moment on a page, in UTC. Where scripts run, `src/dashboard/times.ts` says it in the reader's own time zone. */
import { type Html, html } from '../pages/html.ts';

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** The same in a sentence that is text only. */
export const momentText = (at: Date): string => `${FORMAT.format(at)} UTC`;

export const moment = (at: Date): Html => html`<time datetime="${at.toISOString()}">${momentText(at)}</time>`;
