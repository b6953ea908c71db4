/** The cost of a batch, and whether the account can start it. */
import { counted, figure } from '../../core/format.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Entries } from './list-entries.ts';
import { type Choices, sayTooManyColumns } from './review-choices.ts';

export interface Account {
  readonly credits: number;
  /** Whether a payment for missing credits is in progress. */
  readonly isPaying: boolean;
  /** Where more credits come from. */
  readonly moreCredits: Html;
  /** The most that a batch of the account may have. */
  readonly batchSize: number;
}

export interface Cost extends Omit<Account, 'credits'> {
  /** Credits. 0 for a test. */
  readonly needed: number;
  readonly available: number;
  /** Rows with an address, duplicates included. */
  readonly total: number;
  /** How many columns are chosen. */
  readonly columns: number;
  readonly isTest: boolean;
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
}

export const costOf = (
  { mode, columns }: Choices,
  { entries, total }: Entries,
  { credits: available, ...account }: Account,
  refundUnknown: boolean,
): Cost => ({
  ...{ ...account, available, total, refundUnknown },
  needed: mode === 'live' ? entries.distinct : 0,
  columns: columns.length,
  isTest: mode === 'test',
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
