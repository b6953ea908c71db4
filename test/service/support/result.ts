/** Verification results for tests. */
import type { State, VerificationResult } from '../../../src/protocol/result.ts';
import { exampleResult } from '../../../src/testing/replies.ts';

/** A result with every field. Its reason fits the state. */
export function resultOf(email: string, state: State = 'deliverable'): VerificationResult {
  const reason = state === 'unknown' ? 'no_connect' : 'accepted_email';
  return exampleResult(email, { state, reason, accept_all: null, score: 100 });
}
