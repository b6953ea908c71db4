/** The names of batches and keys, including those that their owner has not named. */
import { type Html, html } from '../pages/html.ts';

export const nameOfBatch = (id: string, name: string | null): Html =>
  html`<bdi>${name ?? `batch ${id}`}</bdi>`;

/** @param isShared whether other keys of the account have the same name */
export const nameOfKey = (name: string | null, last4: string, isShared: boolean): Html => {
  if (name === null) return html`<bdi>…${last4}</bdi>`;
  return html`<bdi>${isShared ? `${name} (…${last4})` : name}</bdi>`;
};
