/** The test addresses of the interface's section 5.7: what each makes of a plain deliverable result. */
import type { Reason, VerificationResult } from '../interface/result.ts';

export const TEST_DOMAIN = 'example.com';

interface TestAddress {
  readonly reason: Reason;
  readonly attributes?: Partial<Pick<VerificationResult, 'role' | 'free' | 'disposable' | 'accept_all'>>;
}

/**
 * A `null` is the one that never gets a result. Those for an attribute are deliverable, so that a page sees that
 * attribute alone; a server that accepts everything proves nothing about one address, hence risky.
 */
const TEST_ADDRESSES: Readonly<Record<string, TestAddress | null>> = {
  deliverable: { reason: 'accepted_email' },
  undeliverable: { reason: 'rejected_email' },
  risky: { reason: 'low_quality' },
  unknown: { reason: 'timeout' },
  role: { reason: 'accepted_email', attributes: { role: true } },
  free: { reason: 'accepted_email', attributes: { free: true } },
  'accept-all': { reason: 'low_deliverability', attributes: { accept_all: true } },
  disposable: { reason: 'accepted_email', attributes: { disposable: true } },
  slow: null,
};

/** @returns `undefined` when it is none of them */
export function findTestAddress(user: string, domain: string): TestAddress | null | undefined {
  const name = user.toLowerCase();
  if (domain.toLowerCase() !== TEST_DOMAIN || !Object.hasOwn(TEST_ADDRESSES, name)) return undefined;
  return TEST_ADDRESSES[name];
}
