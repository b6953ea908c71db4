/** The 402 for an account with too few credits. */
import { Failure } from '../core/failures.ts';
import type { MoreCredits } from './more-credits.ts';

export interface MissingInRequest {
  readonly needed: number;
  readonly available: number;
  /** The message of billing, if it was asked. */
  readonly message?: string;
}

/** @param more absent where visitors of a page would see it, who are not the account's owner */
export function creditsMissing(
  { needed, available, message }: MissingInRequest,
  more: MoreCredits = {},
): Failure {
  const credits = needed === 1 ? '1 credit' : `${needed} credits`;
  const own = `This request needs ${credits}, and the account has ${available}. ${sayWhere(more)}`;
  return new Failure('creditsMissing', message ?? own, {}, undefined, { ...more });
}

function sayWhere({ billing_page, support }: MoreCredits): string {
  if (billing_page !== undefined) return `Add credits to the account at ${billing_page}`;
  return `Add credits to the account.${support === undefined ? '' : ` ${support}`}`;
}
