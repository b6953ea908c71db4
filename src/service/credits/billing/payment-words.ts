/** The 402 texts of payments. Each says what was needed, what there was, and what to do. */
import { counted, momentText } from '../../core/format.ts';
import type { PaymentState } from './payment-store.ts';

/** The documentation of the 402. */
export const MISSING_CREDITS =
  'The account has too few credits. The message says whether a payment was refused, or has no answer yet and goes on.';

type Missing = Pick<PaymentState, 'needed' | 'available'>;

const start = ({ needed, available }: Missing) =>
  `Expected ${needed} ${needed === 1 ? 'credit' : 'credits'}, got ${available}.`;

/** For a payment that is still open. */
export const sayOpen = (missing: Missing, { malformed }: Pick<PaymentState, 'malformed'>): string =>
  malformed > 0
    ? `${start(missing)} The billing service answered nonsense instead of a number of credits. It is asked again, and the payment goes on. Send the request again in a minute.`
    : `${start(missing)} The billing service did not answer, and the payment goes on. Send the request again in a minute.`;

/** For a payment that has ended without credits. */
export function sayEnded(missing: Missing, { outcome, message }: PaymentState): string {
  if (message !== null) return message;
  const what = {
    refused: 'The billing service refused the payment.',
    malformed:
      'The billing service answered nonsense instead of a number of credits, so the payment has ended.',
    'given up': 'The billing service did not answer for 24 hours, so the payment has ended.',
  }[outcome as 'refused' | 'malformed' | 'given up'];
  return `${start(missing)} ${what} Ask the operator of this service to add credits.`;
}

/** For a payment that was refused a moment ago. Billing is not asked again yet. */
export const sayRefusedBefore = (missing: Missing, refused: PaymentState, pauseMs: number): string =>
  `${sayEnded(missing, refused)} (The billing service is asked again in ${counted(Math.ceil(pauseMs / 1000), 'second')} at the earliest.)`;

/** For billing that has added fewer credits than were needed. */
export const sayTooFew = (missing: Missing): string => `${start(missing)} Add credits to the account.`;

export const sayTooMany = (missing: Missing, perDay: number, until: Date): string =>
  `${start(missing)} The account has had ${counted(perDay, 'payment')} in 24 hours, which is the most. Add credits to the account, or send the request again after ${momentText(until)}.`;

/** For a public key, whose visitors may not cause payments. */
export const sayNotForPublicKeys = (missing: Missing): string =>
  `${start(missing)} Public keys cause no payments. Add credits to the account.`;
