/** Turns the outcome of a verifier into the response of one request. */
import type { FastifyReply } from 'fastify';
import type { VerificationRequest, Verified, Verifier } from '../../engine/verifier.ts';
import { tellRate } from '../access/request-rate.ts';
import { Failure, Refusal } from '../core/failures.ts';
import { creditsMissing } from '../credits/missing-credits.ts';
import type { MoreCredits } from '../credits/more-credits.ts';
import type { LiveRequest, LiveVerifications } from './live/live-verifications.ts';

/** The response. Without a result, it is a 249. */
export interface VerifyResponse {
  readonly verified: Verified | undefined;
  /** Whether the response was stored together with the result. */
  readonly isStored: boolean;
}

/** For test keys. Free of charge. */
export async function verifySample(verifier: Verifier, wanted: VerificationRequest): Promise<VerifyResponse> {
  const verified = await verifier(wanted);
  return { verified: verified.result ? verified : undefined, isStored: false };
}

/**
 * For live keys. A result costs a credit.
 *
 * @param more for a 402
 * @throws {Failure} 402 without enough credits, 429 over the rate limit, and if the key has spent its credits of the day
 */
export async function verifyLive(
  live: LiveVerifications,
  reply: FastifyReply,
  wanted: LiveRequest,
  more: MoreCredits,
): Promise<VerifyResponse> {
  const answer = await live.verify(wanted);
  if (answer.rate) tellRate(reply, answer.rate);
  switch (answer.kind) {
    case 'result':
      return { verified: answer, isStored: answer.isResponseStored };
    case 'try-again':
      return { verified: undefined, isStored: false };
    case 'no-credits':
      throw creditsMissing(answer, more);
    case 'key-spent':
      throw new Failure('keySpent', undefined, { 'Retry-After': String(answer.secondsToReset) });
    case 'no-account':
      // The account was deleted since its key was looked up.
      throw new Refusal('unknown_key');
    case 'rate-exceeded':
      throw new Failure('tooManyRequests', undefined, { 'Retry-After': '1' });
  }
}
