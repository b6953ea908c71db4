/** Says where more credits come from, on each page on which they are missing or run low. */
import { figure } from '../core/format.ts';
import type { OpenPayment } from '../credits/billing/payment-store.ts';
import { moreCreditsOf } from '../credits/more-credits.ts';
import type { Deps } from '../deps/deps.ts';
import { type Html, html } from '../pages/html.ts';
import { supportWords } from '../pages/support.ts';
import { moment } from './moment.ts';

/** @param accountId whose billing page it is */
export function moreCreditsWords({ settings }: Pick<Deps, 'settings'>, accountId: string): Html {
  const { billing_page, support } = moreCreditsOf(settings, accountId);
  if (billing_page !== undefined) return html`<a href="${billing_page}">Get more credits</a>`;
  if (support !== undefined) return supportWords(support, 'Ask ', ' for more.');
  return html`Ask the operator of this service for more.`;
}

/** @param payment the open one of the account */
export const paymentWords = ({ since, needed }: OpenPayment): Html =>
  html`<strong>A payment is in progress</strong> since ${moment(since)}, because a request needed ${figure(needed)} ${needed === 1 ? 'credit' : 'credits'}. Its credits are added as soon as it is made.`;
