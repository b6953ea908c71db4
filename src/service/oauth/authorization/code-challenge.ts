/** PKCE (RFC 7636): proves that the app that exchanges a code is the one that requested it. */
import { createHash } from 'node:crypto';
import { OAuthFailure } from '../oauth-errors.ts';

/** Verifiers and challenges have the same format (RFC 7636, sections 4.1 and 4.2). */
const FORM = /^[A-Za-z0-9._~-]{43,128}$/;

/** The S256 challenge for a verifier. */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

/**
 * Reads the challenge of an authorization request. A public app has no secret, so whoever gets its code would get the
 * tokens. It must send a challenge, and not in the form of the verifier itself (RFC 9700, section 2.1.1).
 *
 * @returns the S256 form, so that a plain challenge, which is the verifier itself, is never stored. Undefined without a
 * challenge, even if there is a method. @throws {OAuthFailure} for a challenge without a method, or an invalid one
 */
export function readChallenge(
  challenge: string | undefined,
  method: string | undefined,
  isPublic: boolean,
): string | undefined {
  if (isPublic && (challenge === undefined || method !== 'S256')) {
    const got =
      challenge === undefined ? 'no code_challenge' : method === 'plain' ? 'plain' : 'another method';
    throw new OAuthFailure(
      'invalid_request',
      `Expected a code_challenge with the code_challenge_method S256, because the app has no secret, got ${got}.`,
    );
  }
  if (challenge === undefined) return undefined;
  if (method !== 'S256' && method !== 'plain')
    throw new OAuthFailure(
      'invalid_request',
      `Expected code_challenge_method to be S256 or plain, got ${method === undefined ? 'nothing' : 'another'}.`,
    );
  if (!FORM.test(challenge))
    throw new OAuthFailure(
      'invalid_request',
      'Expected code_challenge to have 43 to 128 letters, digits and - . _ ~ only.',
    );
  return method === 'S256' ? challenge : challengeOf(challenge);
}
