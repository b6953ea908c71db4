/** The cost of a batch, and whether the account can start it. */
import { counted, figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Entries } from './list-entries.ts';
import { type Choices, sayTooManyColumns } from './review-choices.ts';

export interface Cost {
  /** Credits. 0 for a test. */
  readonly needed: number;
  readonly available: number;
  /** Whether a payment for missing credits is in progress. */
  readonly isPaying: boolean;
  /** Where more credits come from. */
  readonly moreCredits: Html;
  /** Rows with an address, duplicates included. */
  readonly total: number;
  /** The most that a batch of the account may have. */
  readonly batchSize: number;
  /** How many columns are chosen. */
  readonly columns: number;
  readonly isTest: boolean;
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
}

export interface Account {
  readonly credits: number;
  readonly isPaying: boolean;
  readonly moreCredits: Html;
  readonly batchSize: number;
}

export const costOf = (
  { mode, columns }: Choices,
  { entries, total }: Entries,
  { credits, isPaying, moreCredits, batchSize }: Account,
  refundUnknown: boolean,
): Cost => ({
  needed: mode === 'live' ? entries.distinct : 0,
  available: credits,
  ...{ isPaying, moreCredits },
  total,
  columns: columns.length,
  isTest: mode === 'test',
  ...{ batchSize, refundUnknown },
});

export const NO_ADDRESSES = 'What you chose has no addresses to verify. Choose another column.';

/** Why the batch cannot start, regardless of credits. */
export function obstacleOf({ total, batchSize, columns }: Cost): string | undefined {
  const tooMany = sayTooManyColumns(columns);
  if (tooMany !== undefined) return tooMany;
  if (total === 0) return NO_ADDRESSES;
  if (total > batchSize)
    return `Expected at most ${counted(batchSize, 'address', 'addresses')} in a batch, got ${figure(total)}. Split the list, or ask the operator for larger batches.`;
  return undefined;
}

export function costText(cost: Cost): Html {
  const obstacle = obstacleOf(cost);
  if (obstacle !== undefined) return html`<span class="warning">${obstacle}</span>`;
  const { needed, available, isPaying, moreCredits, isTest, refundUnknown } = cost;
  if (isTest) return html`<strong>Free.</strong> The results are samples, and no mail server is asked.`;
  const missing = needed - available;
  const have = html`<strong>${figure(needed)}</strong> of your ${counted(available, 'credit')}.`;
  const back = refundUnknown ? ' Unknown results give their credits back.' : '';
  if (missing <= 0) return html`${have}${back}`;
  return html`<span class="warning">${have} <strong>${counted(missing, 'credit is', 'credits are')} missing.</strong>${isPaying && ' A payment is in progress.'} ${moreCredits}</span>`;
}
