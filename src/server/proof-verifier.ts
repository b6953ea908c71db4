/** Verifies the service's signed proof, which the widget sends with a form. */

import { JWKS_PATH, PROOF_ALGORITHM, PROOF_TYPE } from '../protocol/proof.ts';
import { STATES, type State, type VerificationResult } from '../protocol/result.ts';
import { addressKey } from '../widget/check/address.ts';
import type { Fetch } from './ask.ts';
import { isText, no, type Properties, type Refused } from './encoding.ts';
import { ES256, isSignedBy, parseJws } from './jws.ts';
import { createKeySet, fetchProperties } from './key-set.ts';
import { checkedOrigins, checkedService, plainUrl, refuse } from './options.ts';

/** The settings of {@link createProofVerifier}. */
export interface ProofVerifierOptions {
  /** The URL of the service: its `publicUrl`. Only its keys are trusted. */
  service: string;
  /** The origin of the page with the form, such as `https://shop.example`, or several. */
  origin: string | readonly string[];
  /** Whether to accept proofs that a test key has caused. @default false */
  acceptTest?: boolean | undefined;
  /** The greatest age of a proof in seconds. @default until it expires, which is 10 minutes */
  maxAge?: number | undefined;
  /**
   * Remembers proofs, so that each is accepted once. It returns whether `jti` was there, and otherwise keeps it until
   * `exp`, in seconds since 1970. Both belong into one step. It is called last, for proofs that are valid otherwise.
   * What it throws, `verifyProof` throws.
   */
  seen?: ((jti: string, exp: number) => boolean | PromiseLike<boolean>) | undefined;
  /** Fetches the keys of the service. @default the platform's fetch */
  fetch?: Fetch | undefined;
  /** The time in milliseconds, for tests. @default Date.now */
  now?: (() => number) | undefined;
}

/** The part of a result that is in a proof. */
export type ProofResult = Pick<
  VerificationResult,
  'email' | 'state' | 'reason' | 'score' | 'accept_all' | 'disposable' | 'role' | 'free' | 'did_you_mean'
> & {
  /** Whether a test key has caused the verification. The result is then a sample. */
  test?: true;
};

/**
 * Why a proof is refused. With `absent`, `expired`, `unknown-key` and `keys-unavailable`, the visitor may be honest: ask
 * the API instead. The others do not happen to visitors whose page is set up as your server expects.
 *
 * - `absent`: the form has none
 * - `malformed`: it is not a proof, or not of this kind
 * - `unknown-key`: the service has no such key
 * - `keys-unavailable`: the service did not respond with its keys
 * - `signature`: someone else has signed it, or changed it
 * - `issuer`: it is another service's
 * - `audience`: it is for a page of another origin
 * - `expired`: its time is over, or has not come
 * - `test-key`: a test key has caused it
 * - `other-address`: it is about another address
 * - `replayed`: it was used before
 */
export type ProofRefusal =
  | 'absent'
  | 'malformed'
  | 'unknown-key'
  | 'keys-unavailable'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'test-key'
  | 'other-address'
  | 'replayed';

/** What {@link createProofVerifier}’s function says of a proof. */
export type ProofVerdict =
  | {
      /** Says that it is accepted. */
      readonly ok: true;
      /** What the service has found out. */
      readonly result: ProofResult;
      /** There is none. */
      readonly reason?: undefined;
    }
  | Refused<ProofRefusal>;

/** In characters. The service makes none longer than 1,200. */
const LENGTH_LIMIT = 4_096;
/** How far the clock of the service may be ahead. */
const AHEAD_S = 60;

/** The types of all claims that a proof has, besides its times. A result can have null for two of them. */
const KINDS = {
  iss: 'string',
  aud: 'string',
  jti: 'string',
  email: 'string',
  state: 'string',
  reason: 'string',
  score: 'number',
  disposable: 'boolean',
  role: 'boolean',
  free: 'boolean',
  accept_all: 'boolean',
  did_you_mean: 'string',
};
const NULLABLE = ['accept_all', 'did_you_mean'];

interface Claims extends ProofResult {
  readonly iss: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
}

/**
 * Makes a function that verifies proofs. Make it once, because it keeps the keys of the service.
 *
 * @returns a function that takes what the form has sent, of any type. It never rejects, except if `seen` does
 * @throws TypeError for an option that cannot be
 */
export function createProofVerifier({
  service,
  origin,
  acceptTest,
  maxAge,
  seen,
  fetch,
  now = Date.now,
}: ProofVerifierOptions): (token: unknown, email: unknown) => Promise<ProofVerdict> {
  const issuer = checkedService(service);
  const origins = checkedOrigins(origin);
  if (!((maxAge ?? 0) >= 0)) refuse('maxAge', 'seconds', maxAge);
  const findKey = createKeySet((signal) => fetchProperties(fetch, issuer + JWKS_PATH, signal), now);

  /** What is wrong with the claims of a proof whose signature is right. */
  function refusalOf(claims: Claims, email: unknown): ProofRefusal | undefined {
    const seconds = now() / 1000;
    const age = seconds - claims.iat;
    if (plainUrl(claims.iss) !== issuer) return 'issuer';
    if (!origins.includes(claims.aud)) return 'audience';
    if (seconds >= claims.exp || age > (maxAge ?? age) || age < -AHEAD_S) return 'expired';
    if ('test' in claims && acceptTest !== true) return 'test-key';
    if (!isText(email) || addressKey(claims.email) !== addressKey(email)) return 'other-address';
    return undefined;
  }

  return async (token, email) => {
    if ((token ?? '') === '') return no('absent');
    const jws = isText(token) && token.length <= LENGTH_LIMIT && parseJws(token);
    if (!jws) return no('malformed');
    const { alg, kid, typ } = jws._header;
    const claims = jws._claims;
    if (alg !== PROOF_ALGORITHM || typ !== PROOF_TYPE || !isText(kid) || !isProof(claims))
      return no('malformed');
    const key = await findKey(kid);
    if (typeof key === 'string') return no(key);
    const isSigned = await isSignedBy(key, jws, ES256);
    if (!isSigned) return no(isSigned === false ? 'signature' : 'unknown-key');
    const refusal = refusalOf(claims, email);
    if (refusal) return no(refusal);
    if (await seen?.(claims.jti, claims.exp)) return no('replayed');
    // What a newer service adds goes with it.
    const { iss, aud, iat, exp, jti, ...result } = claims;
    return { ok: true, result };
  };
}

const isProof = (claims: Properties): claims is Properties & Claims =>
  STATES.includes(claims.state as State) &&
  // JSON can have a number that is too large to be one.
  [claims.iat, claims.exp].every(Number.isFinite) &&
  Object.entries(KINDS).every(
    ([name, kind]) => typeof claims[name] === kind || (claims[name] === null && NULLABLE.includes(name)),
  );
