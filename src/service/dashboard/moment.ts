/** A moment on a page, in UTC. Where scripts run, `src/dashboard/times.ts` says it in the reader's own time zone. */
import { type Html, html } from '../pages/html.ts';

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${FORMAT.format(at)} UTC</time>`;
