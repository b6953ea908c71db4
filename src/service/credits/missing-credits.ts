/** The 402 for an account with too few credits. */
import { Failure } from '../core/failures.ts';

/** @param message the message of billing, if it was asked */
export function creditsMissing(needed: number, available: number, message?: string): Failure {
  const credits = needed === 1 ? '1 credit' : `${needed} credits`;
  const own = `This request needs ${credits}, and the account has ${available}. Add credits to the account.`;
  return new Failure('creditsMissing', message ?? own);
}
