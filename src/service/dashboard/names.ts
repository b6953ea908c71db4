/** What batches and keys are called, also if their owner has given them no name. */
import { type Html, html } from '../pages/html.ts';

export const nameOfBatch = (id: string, name: string | null): Html =>
  html`<bdi>${name ?? `batch ${id}`}</bdi>`;

/** @param isShared whether the account has other keys of this name, so that it does not tell the key apart */
export const nameOfKey = (name: string | null, last4: string, isShared: boolean): Html => {
  if (name === null) return html`<bdi>…${last4}</bdi>`;
  return html`<bdi>${isShared ? `${name} (…${last4})` : name}</bdi>`;
};
