/** Why credits have changed, in words. */
import { addresses } from '../../core/format.ts';
import type { LedgerRow } from '../../credits/history/ledger-store.ts';
import type { LedgerReason } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { nameOfBatch } from '../display-names.ts';

/** In the order of the pages. */
export const KINDS: Readonly<Record<LedgerReason, string>> = {
  verification: 'Verifications',
  batch: 'Batches',
  refund: 'Given back for verifications',
  'batch-refund': 'Given back for batches',
  'top-up': 'Added by the operator',
  billing: 'Added by billing',
};

/** @returns undefined for a text that is not a reason */
export const readKind = (text: string | undefined): LedgerReason | undefined =>
  text !== undefined && Object.hasOwn(KINDS, text) ? (text as LedgerReason) : undefined;

/** The reason for a row. Batches are links while they exist. */
export function sayWhy(row: LedgerRow, site: Site): Html {
  const { why, of, amount } = row;
  switch (why) {
    case 'verification':
      return html`A verification`;
    case 'refund':
      return html`Given back: the result of the verification was unknown`;
    case 'batch':
      return html`Batch ${batchOf(row, site)}: ${addresses(-amount)}`;
    case 'batch-refund':
      return html`Given back for ${batchOf(row, site)}: ${addresses(amount)} unknown or not verified`;
    case 'top-up':
      return html`Added by the operator${of !== null && html`: <bdi>${of}</bdi>`}`;
    case 'billing':
      return html`Added by billing`;
  }
}

function batchOf({ of, has_batch, batch_name }: LedgerRow, site: Site): Html {
  if (!has_batch) return html`that was deleted`;
  return html`<a href="${site.link(`/dashboard/batches/${of}`)}">${nameOfBatch(of!, batch_name)}</a>`;
}
