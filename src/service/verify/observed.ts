/** A verifier that somebody listens to. */
import type { VerificationRequest, Verified, Verifier } from '../../engine/verifier.ts';

/** @param onVerified hears each result once, also one that came after the caller's time */
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
