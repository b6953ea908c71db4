/** Says where more credits come from, on each page on which they are missing or run low. */
import type { BillingSettings } from '../config/sections/billing-section.ts';
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

/**
 * What happens to requests that need more credits than are left, and where more come from.
 *
 * @param payment the open one of the account
 */
export function missingCreditsWords(
  deps: Pick<Deps, 'settings'>,
  accountId: string,
  available: number,
  payment?: OpenPayment,
): Html {
  const { billing, billingPage, support } = deps.settings;
  const isWithoutPlace = billing && billingPage === undefined && support === undefined;
  const happens = payment ? paymentWords(payment) : consequence(billing, available);
  return html`${happens} ${!isWithoutPlace && moreCreditsWords(deps, accountId)}`;
}

function consequence(billing: BillingSettings | undefined, available: number): string | undefined {
  if (billing?.publicKeys) return 'If a request needs more than you have, this service asks for a payment.';
  if (billing)
    return `If a batch or a request of a private key or an app needs more than you have, this service asks for a payment. ${available === 0 ? 'Requests' : 'Without credits, requests'} of public keys are refused.`;
  return available === 0 ? 'Live verifications and batches are refused until credits are added.' : undefined;
}
