/** Checks the logout token with which the provider ends sessions (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { inTransaction } from '../../database/transaction.ts';
import { endSession } from '../sessions/session-store.ts';
import { describeProviderError, type Found } from './provider.ts';
import { findLoggedOut, type LoggedOut, takeLogoutToken } from './provider-store.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/**
 * How long a token counts after it was issued, whatever its end. Its id is kept as long. `exp` is required since 2023, but
 * some providers leave it out, and to refuse their tokens would keep sessions that should end.
 */
const LONGEST_S = 600;
/** Clocks differ. */
const TOLERANCE_S = 30;
/** With the private key of the provider. With a secret, whoever has the secret could end sessions. */
const ALGORITHM = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/;
const TEXT = /^[\x20-\x7e]{1,255}$/;

export type LogoutToken =
  | { readonly kind: 'valid'; readonly id: Buffer; readonly loggedOut: LoggedOut }
  /** `check` is the part that is wrong. */
  | { readonly kind: 'refused'; readonly details: Readonly<Record<string, string>> };

/** @param token anything that somebody has sent */
export async function checkLogoutToken({ config, issuer, keys }: Found, token: string): Promise<LogoutToken> {
  try {
    const { client_id: audience } = config.clientMetadata();
    const offered = config.serverMetadata().id_token_signing_alg_values_supported ?? ['RS256'];
    const { payload } = await jwtVerify(token, keys, {
      ...{ issuer, audience, clockTolerance: TOLERANCE_S, maxTokenAge: LONGEST_S },
      algorithms: offered.filter((algorithm) => ALGORITHM.test(algorithm)),
      requiredClaims: ['iat', 'jti', 'events'],
    });
    const wrong = typeOf(token) ?? faultOf(payload);
    if (wrong !== undefined) return { kind: 'refused', details: { error: 'claim', claim: wrong } };
    const { sub: subject, jti } = payload;
    const sid = payload.sid as string | undefined;
    const id = digestOf(JSON.stringify([issuer, jti]));
    return { kind: 'valid', id, loggedOut: { issuer, subject, sid } };
  } catch (error) {
    return { kind: 'refused', details: describeProviderError(error) };
  }
}

/** Another kind of token, such as an ID token, is not a logout token. Older providers do not name the type. */
function typeOf(token: string): string | undefined {
  const { typ } = decodeProtectedHeader(token);
  const name = typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt';
  return name === 'logout+jwt' || name === 'jwt' ? undefined : 'typ';
}

/** @returns the claim that is wrong */
function faultOf({ jti, events, nonce, sub, sid }: JWTPayload): string | undefined {
  if (typeof jti !== 'string' || jti === '') return 'jti';
  if (typeof Object(events)[EVENT] !== 'object' || Object(events)[EVENT] === null) return 'events';
  // Only ID tokens have one.
  if (nonce !== undefined) return 'nonce';
  if (sub === undefined && sid === undefined) return 'sub';
  if (sub !== undefined && !isText(sub)) return 'sub';
  return sid === undefined || isText(sid) ? undefined : 'sid';
}

/** A list of one text is not a text, although patterns and the database take it for one. */
const isText = (value: unknown): boolean => typeof value === 'string' && TEXT.test(value);

/**
 * Ends the sessions that a valid token names. Each token counts once.
 *
 * @returns how many sessions, or undefined if the token was used before
 */
export async function endLoggedOut(
  db: Db,
  { id, loggedOut }: Extract<LogoutToken, { kind: 'valid' }>,
): Promise<number | undefined> {
  return inTransaction(db, async (transaction) => {
    if (!(await takeLogoutToken(transaction, id, LONGEST_S + 2 * TOLERANCE_S))) return undefined;
    const sessions = await findLoggedOut(transaction, loggedOut);
    for (const session of sessions) await endSession(transaction, session);
    return sessions.length;
  });
}
