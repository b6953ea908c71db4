/**
 * Signs results as the service does, with a key that everybody knows. So a page's own server can be tested with real
 * proofs. Uses only what Node and browsers share.
 */
import {
  MOST_PROOF_BYTES,
  PROOF_HEADER,
  type ProofFrame,
  type ProvenResult,
  type PublishedKey,
  proofClaims,
  proofHead,
} from '../protocol/proof.ts';
import { parseResult } from '../protocol/result.ts';
import type { Reply } from './replies.ts';
import { type AskedRequest, bodyOf } from './script.ts';

/** The key is in the package, so a proof of it proves nothing outside of tests. */
const PUBLIC: PublishedKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MeajWpAcVS-ONFk0m_EE9Eiheni1hLQxuyi6xFr_mEU',
  y: 'RzAqqNVd5mN4TkTGtMyDuMTFjgkZfWVLsxACD5ziMnw',
  use: 'sig',
  alg: 'ES256',
  kid: '1uTtNdo3A44YjAcrM3JvmAj6g6dqVgw9o-CkcpjjepE',
};
const PRIVATE_NUMBER = 'Exxo6Xe99df7Yp3Ceu2_vj9zfSSmHXVjQyvn8b-P4r8';

/** The body of `/.well-known/jwks.json`. */
export const JWKS = JSON.stringify({ keys: [PUBLIC] });

const SECONDS = 600;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * The header with the proof of a result for a page. None for what the service would not prove either: other replies,
 * `smtp=false`, and requests without an `Origin`.
 *
 * @param issuer the URL of the service, as the page knows it
 */
export async function proofHeader(
  reply: Reply,
  { email, origin, query, body, headers }: AskedRequest,
  issuer: string,
): Promise<Record<string, string>> {
  const parameters = { ...query, ...body };
  if (reply.status !== 200 || origin === undefined || parameters.smtp === 'false') return {};
  const result = parseResult(bodyOf(reply, email));
  // Pages over plain HTTP, except on this machine, have no cryptography.
  if (!result || globalThis.crypto?.subtle === undefined) return {};
  const credential = parameters.api_key ?? String(headers.authorization ?? '').replace(/^Bearer\s+/i, '');
  const proof = await sign(result as unknown as ProvenResult, {
    iss: issuer,
    aud: origin,
    iat: Math.floor(Date.now() / 1000),
    jti: base64url(crypto.getRandomValues(new Uint8Array(16))),
    seconds: SECONDS,
    isTest: !credential.startsWith('live_'),
  });
  return proof.length > MOST_PROOF_BYTES ? {} : { [PROOF_HEADER.toLowerCase()]: proof };
}

/** Lets pages of other origins read the proof. */
export const EXPOSED = { 'access-control-expose-headers': PROOF_HEADER };

async function sign(result: ProvenResult, frame: ProofFrame): Promise<string> {
  const signed = `${encode(proofHead(PUBLIC.kid))}.${encode(proofClaims(result, frame))}`;
  const jwk = { kty: PUBLIC.kty, crv: PUBLIC.crv, x: PUBLIC.x, y: PUBLIC.y, d: PRIVATE_NUMBER };
  const key = await crypto.subtle.importKey('jwk', jwk, ALGORITHM, false, ['sign']);
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

const encode = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)));

function base64url(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
