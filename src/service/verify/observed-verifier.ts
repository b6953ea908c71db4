/** Wraps a verifier, and reports its results. */
import type { VerificationRequest, Verified, Verifier } from '../../engine/verifier.ts';

/** @param onVerified called once for each result, even if it came after the caller's deadline */
export function observed(
  verifier: Verifier,
  onVerified: (verified: Verified, request: VerificationRequest) => void,
): Verifier {
  return async (request) => {
    const answer = await verifier(request);
    if (answer.result) onVerified(answer, request);
    else void answer.later?.then((verified) => onVerified(verified, request));
    return answer;
  };
}
