/** The result of an address whose verification failed because of the service. */
import { splitAddress } from '../../../engine/address/parts.ts';
import type { VerificationResult } from '../../../protocol/result.ts';

/** It says nothing of the address, and never that it is undeliverable. */
export function faultResult(address: string): VerificationResult {
  const { user, tag, domain } = splitAddress(address);
  const nothing = { first_name: null, full_name: null, gender: null, last_name: null, smtp_provider: null };
  return {
    ...{ ...nothing, accept_all: null, did_you_mean: null, disposable: false, domain, duration: 0 },
    ...{ email: address, free: false, mailbox_full: false, mx_record: '', no_reply: false },
    ...{ reason: 'unexpected_error', role: false, score: 50, state: 'unknown', tag, user },
  };
}
