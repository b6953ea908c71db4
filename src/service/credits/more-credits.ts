/** How the owner of an account gets more credits: on the operator's billing page, or from the operator's support. */
import type { Settings } from '../config/load-settings.ts';
import { ACCOUNT_IN_PAGE } from '../config/sections/billing-section.ts';

/** Fields of the 402, too. At most one is there. */
export interface MoreCredits {
  /** The URL of the billing page for the account. */
  readonly billing_page?: string;
  /** An address or a text. */
  readonly support?: string;
}

export function moreCreditsOf(
  { billingPage, support }: Pick<Settings, 'billingPage' | 'support'>,
  accountId: string,
): MoreCredits {
  if (billingPage !== undefined)
    return { billing_page: billingPage.replaceAll(ACCOUNT_IN_PAGE, encodeURIComponent(accountId)) };
  return support === undefined ? {} : { support };
}
