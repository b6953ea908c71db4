/** The test addresses, with their differences from a plain deliverable result. */
import type { Reason, VerificationResult } from '../protocol/result.ts';

export const TEST_DOMAIN = 'example.com';

interface TestAddress {
  readonly reason: Reason;
  readonly attributes?: Partial<Pick<VerificationResult, 'role' | 'free' | 'disposable' | 'accept_all'>>;
}

/**
 * `null` is the address that never gets a result. The addresses for an attribute are deliverable, so that a page sees
 * only this attribute. `accept-all` is risky, because such a server does not prove that one address exists.
 * `risky` has a full mailbox, which explains its low quality.
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

/** @returns the test address, or `undefined` for any other address */
export function findTestAddress(user: string, domain: string): TestAddress | null | undefined {
  const name = user.toLowerCase();
  if (domain.toLowerCase() !== TEST_DOMAIN || !Object.hasOwn(TEST_ADDRESSES, name)) return undefined;
  return TEST_ADDRESSES[name];
}
