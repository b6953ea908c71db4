/** What batches and keys are called, also if their owner has given them no name. */
import { type Html, html } from '../pages/html.ts';

export const nameOfBatch = (id: string, name: string | null): Html =>
  html`<bdi>${name ?? `batch ${id}`}</bdi>`;

export const nameOfKey = (name: string | null, last4: string): Html =>
  html`<bdi>${name === null ? `…${last4}` : `${name} (…${last4})`}</bdi>`;
