/** The signed proof of a result: what it says, and the names that its maker and its reader share. Signs nothing. */
import type { VerificationResult } from './result.ts';

/** The header of a response that has a proof: a compact JWS (RFC 7515). */
export const PROOF_HEADER = 'Email-Verify-Proof';

/** The only algorithm of a proof. */
export const PROOF_ALGORITHM = 'ES256';

/** The `typ` of its header, so that no other token of the same key passes for a proof (RFC 8725, section 3.11). */
export const PROOF_TYPE = 'email-verify-proof+jwt';

/** The longest proof. Servers limit the size of a form's fields and headers. */
export const MOST_PROOF_BYTES = 1200;

/** Where a service publishes its keys. */
export const JWKS_PATH = '/.well-known/jwks.json';

/** The part of a result that a proof repeats. */
export type ProvenResult = Pick<
  VerificationResult,
  'email' | 'state' | 'reason' | 'score' | 'accept_all' | 'disposable' | 'role' | 'free' | 'did_you_mean'
>;

/** What a proof says. */
export interface ProofClaims extends ProvenResult {
  /** The URL of the service. */
  iss: string;
  /** The origin of the page. */
  aud: string;
  /** When it was signed, in seconds since 1970. */
  iat: number;
  /** When it ends. */
  exp: number;
  /** 128 random bits. */
  jti: string;
  /** Set for a test key. */
  test?: true;
}

/** A public key, as the service publishes it (RFC 7517). */
export interface PublishedKey {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly use: 'sig';
  readonly alg: typeof PROOF_ALGORITHM;
  /** The key's thumbprint (RFC 7638). */
  readonly kid: string;
}

/** Everything of a proof but its result. */
export type ProofFrame = Pick<ProofClaims, 'iss' | 'aud' | 'iat' | 'jti'> & {
  /** How many seconds it is valid. */
  readonly seconds: number;
  readonly isTest: boolean;
};

/** The header of a proof, before it is encoded. */
export const proofHead = (kid: string) => ({ alg: PROOF_ALGORITHM, kid, typ: PROOF_TYPE });

/**
 * The claims of a proof of this result. One by one and in one object, because a loop over their names takes half as long
 * as a signature, and putting several objects together a quarter.
 */
export function proofClaims(
  { email, state, reason, score, accept_all, disposable, role, free, did_you_mean }: ProvenResult,
  { iss, aud, iat, jti, seconds, isTest }: ProofFrame,
): ProofClaims {
  const exp = iat + seconds;
  const claims: ProofClaims = {
    iss,
    aud,
    iat,
    exp,
    jti,
    email,
    state,
    reason,
    score,
    accept_all,
    disposable,
    role,
    free,
    did_you_mean,
  };
  if (isTest) claims.test = true;
  return claims;
}
