/** Checks what comes back from the provider, and reads whom it vouches for. */
import * as openid from 'openid-client';
import { within } from '../../../shared/within.ts';
import { describeProviderError, type Found } from './provider.ts';
import { PROVIDER_LIMITS } from './provider-fetch.ts';
import type { ProviderRefusal } from './provider-refusals.ts';
import type { Identity } from './provider-store.ts';
import type { ResumedRequest } from './sign-in-request.ts';

/** Whom the provider vouches for. */
export interface Vouched extends Identity {
  /** The provider's name of its session. */
  readonly sid: string | undefined;
  readonly email: string | undefined;
  /** Whether the provider says that the address is the person's. */
  readonly isVerified: boolean;
  readonly groups: readonly string[];
}

export type Answer =
  | { readonly kind: 'vouched'; readonly vouched: Vouched }
  | {
      readonly kind: 'refused';
      readonly refusal: ProviderRefusal;
      /** Which check failed. */
      readonly details?: Readonly<Record<string, string>>;
    };

/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
/** Clocks differ. The library grants as much for other times. */
const TOLERANCE_S = 30;

/**
 * Exchanges the code, and checks the answer: `iss`, `state`, PKCE, the signature of the ID token, and its `iss`, `aud`,
 * `exp`, `iat` and `nonce`. A confirmation needs a sign-in at the provider that is newer than its request.
 *
 * @param url the redirect URI with the parameters of the provider @param claim the claim that has the groups
 */
export async function readAnswer(
  found: Found,
  url: URL,
  request: ResumedRequest,
  claim: string | undefined,
): Promise<Answer> {
  try {
    const answer = await within(PROVIDER_LIMITS.pageMs, exchange(found, url, request, claim));
    return answer ?? { kind: 'refused', refusal: 'away' };
  } catch (error) {
    return { kind: 'refused', refusal: refusalOf(error), details: describeProviderError(error) };
  }
}

async function exchange(
  { config, issuer }: Found,
  url: URL,
  { state, nonce, verifier, personId, begunAt, takenAt }: ResumedRequest,
  claim: string | undefined,
): Promise<Answer> {
  const tokens = await openid.authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const ofToken = tokens.claims()!;
  const { sub, sid, iat, auth_time: signedInAt } = ofToken;
  // The library checks only that it is a number. A token made in advance says nothing about who is there now. By the clock of
  // the database, because that of this process may be behind.
  if (iat > takenAt + PROVIDER_LIMITS.pageMs / 1000 + TOLERANCE_S)
    return { kind: 'refused', refusal: 'distrusted', details: { claim: 'iat' } };
  const isBefore = typeof signedInAt !== 'number' || signedInAt < begunAt - TOLERANCE_S;
  if (personId !== undefined && isBefore) return { kind: 'refused', refusal: 'notConfirmed' };
  const isComplete = ofToken.email !== undefined && (claim === undefined || Object.hasOwn(ofToken, claim));
  // Some providers have addresses and groups there only (OpenID Connect Core 1.0, section 5.4).
  const more: Readonly<Record<string, unknown>> =
    !isComplete && config.serverMetadata().userinfo_endpoint
      ? await openid.fetchUserInfo(config, tokens.access_token, sub)
      : {};
  const claims: Readonly<Record<string, unknown>> = { ...more, ...ofToken };
  // The two may have different addresses. What is verified of one says nothing of the other.
  const isThere =
    ofToken.email === undefined || (ofToken.email_verified === undefined && ofToken.email === more.email);
  const { email, email_verified: isVerified } = isThere ? more : ofToken;
  if (!SUBJECT.test(sub) || (sid !== undefined && (typeof sid !== 'string' || !SUBJECT.test(sid))))
    return { kind: 'refused', refusal: 'distrusted', details: { claim: 'sub' } };
  return {
    kind: 'vouched',
    vouched: {
      ...{ issuer, subject: sub, sid },
      email: typeof email === 'string' ? email : undefined,
      // A text "true" may be what the person has typed into a profile.
      isVerified: isVerified === true,
      groups: claim !== undefined && Object.hasOwn(claims, claim) ? textsIn(claims[claim]) : [],
    },
  };
}

/** A list of groups, or one. */
const textsIn = (value: unknown): string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');

/** What the provider's error codes mean for the person (RFC 6749, sections 4.1.2.1 and 5.2). */
function refusalOf(error: unknown): ProviderRefusal {
  if (error instanceof openid.AuthorizationResponseError)
    return /^(server_error|temporarily_unavailable)$/.test(error.error) ? 'away' : 'denied';
  if (error instanceof openid.ResponseBodyError) {
    if (error.status >= 500) return 'away';
    return error.error === 'invalid_grant' ? 'slow' : 'setup';
  }
  if (error instanceof openid.WWWAuthenticateChallengeError) return 'setup';
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  // No connection, or no response within the limits.
  const isAway =
    code === 'OAUTH_TIMEOUT' ||
    code === 'OAUTH_ABORT' ||
    code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' ||
    (name === 'TypeError' && code === undefined) ||
    Object(error).cause instanceof RangeError;
  return isAway ? 'away' : 'distrusted';
}
