/** The result for text that cannot be an address. The widget makes it without a request. */

import { bare } from '../../protocol/bare.ts';
import type { CheckedResult, VerificationResult } from '../../protocol/result.ts';
import type { Answer } from './request.ts';

export function unusable(address: string): Answer {
  const [user, domain = ''] = address.split(/@(?!.*@)/s) as [string, string?];
  // Flat and without a prototype, so that a page's `toJSON` on Object or Array does not change the JSON.
  const result: VerificationResult = bare({
    accept_all: null,
    // An address as mail programs copy it: `Tom Meier <tom@example.com>` or `mailto:tom@example.com`.
    did_you_mean: /^(?:mailto:|[^<]*<)([^\s<>?@]+@[^\s<>?@]+)(?:>|\?.*)?$/i.exec(address)?.[1] ?? null,
    disposable: false,
    domain,
    duration: 0,
    email: address,
    first_name: null,
    free: false,
    full_name: null,
    gender: null,
    last_name: null,
    mailbox_full: false,
    mx_record: '',
    no_reply: false,
    reason: 'invalid_email',
    role: false,
    score: 0,
    smtp_provider: null,
    state: 'undeliverable',
    tag: null,
    user,
  });
  return { status: 0, body: JSON.stringify(result), _result: result as CheckedResult & VerificationResult };
}
