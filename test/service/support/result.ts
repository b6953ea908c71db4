/** Verification results for tests. */
import type { State, VerificationResult } from '../../../src/interface/result.ts';

/** A result with every field. */
export function resultOf(email: string, state: State = 'deliverable'): VerificationResult {
  return {
    accept_all: null,
    did_you_mean: null,
    disposable: false,
    domain: 'example.com',
    duration: 0.25,
    email,
    first_name: null,
    free: false,
    full_name: null,
    gender: null,
    last_name: null,
    mailbox_full: false,
    mx_record: 'mx.example.com',
    no_reply: false,
    reason: state === 'unknown' ? 'no_connect' : 'accepted_email',
    role: false,
    score: 100,
    smtp_provider: null,
    state,
    tag: null,
    user: 'ada',
  };
}
