/** The effects of the parameter `simulate`. It works with test keys only. */
import { Failure } from '../core/failures.ts';
import { MESSAGES, type StatusBody } from './batch-response.ts';

/** On POST. No batch is created. */
export const SIMULATED_ON_POST = [
  'generic_error',
  'insufficient_credits_error',
  'payment_error',
  'card_error',
] as const;
/** On GET, for any id. */
export const SIMULATED_ON_GET = ['generic_error', 'importing', 'verifying', 'paused'] as const;

const PAYMENT_MESSAGES = {
  insufficient_credits_error: 'There are not enough credits for this batch. Add credits to the account.',
  payment_error: 'The payment for this batch failed. Try again later.',
  card_error: 'The card was declined. Update the payment method of the account.',
} as const;

/** The size of the simulated batch. */
const TOTAL = 1_000;

const genericError = () => new Failure('internal', 'This error is simulated.');

/** @returns the failure of a POST */
export function simulatedFailure(simulate: (typeof SIMULATED_ON_POST)[number]): Failure {
  if (simulate === 'generic_error') return genericError();
  return new Failure('creditsMissing', PAYMENT_MESSAGES[simulate]);
}

/**
 * @returns the status of a batch that does not exist
 * @throws {Failure} if a failure is simulated
 */
export function simulatedStatus(simulate: (typeof SIMULATED_ON_GET)[number]): StatusBody {
  if (simulate === 'generic_error') throw genericError();
  const message = simulate === 'paused' ? MESSAGES.paused : MESSAGES.verifying;
  return { message, processed: simulate === 'importing' ? 0 : TOTAL / 2, total: TOTAL };
}
