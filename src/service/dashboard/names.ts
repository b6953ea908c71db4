/** What batches and keys are called if their owner has given them no name, and times without a script. */
import { type Html, html } from '../pages/html.ts';

export const nameOfBatch = (id: string, name: string | null): Html =>
  html`<bdi>${name ?? `batch ${id}`}</bdi>`;

export const nameOfKey = (name: string | null, last4: string): Html =>
  html`<bdi>${name === null ? `…${last4}` : `${name} (…${last4})`}</bdi>`;

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** A script rewrites it for the reader's own time zone. */
export const moment = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${MOMENT.format(at)} UTC</time>`;
