/** Reads a JSON Web Signature (RFC 7515, compact) and verifies it. The algorithm is the caller's choice, never the token's. */

import { type Bytes, bytesOf, fromBase64url, objectIn, type Properties } from './encoding.ts';

export interface Jws {
  readonly _header: Properties;
  readonly _claims: Properties;
  readonly _signed: Bytes;
  readonly _signature: Bytes;
}

/** An algorithm as WebCrypto names it. It takes of this what it needs to import a key, and to verify. */
export interface Scheme {
  readonly name: string;
  readonly namedCurve?: string;
  readonly hash?: string;
}

export const ES256: Scheme = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** @param text no longer than its caller likes to decode */
export function parseJws(text: string): Jws | undefined {
  const [head = '', body = '', tail = '', ...more] = text.split('.');
  const header = objectIn(fromBase64url(head));
  const claims = objectIn(fromBase64url(body));
  const signature = fromBase64url(tail);
  // `crit` names extensions that must be understood (RFC 7515, 4.1.11). We understand none.
  if (!header || !claims || !signature || more.length > 0 || 'crit' in header) return undefined;
  return { _header: header, _claims: claims, _signature: signature, _signed: bytesOf(`${head}.${body}`) };
}

/** With RSA, a key of fewer bits is not safe, and one of very many takes long. */
const FEWEST_BITS = 2_048;
const MOST_BITS = 8_192;

/**
 * Whether the key has signed the token.
 *
 * @param key a public key (RFC 7517). Of one that is private, too, only the public part is used
 * @returns `undefined` if it is not a key for this algorithm: WebCrypto compares its type, curve, use and algorithm
 */
export async function isSignedBy(key: unknown, jws: Jws, scheme: Scheme): Promise<boolean | undefined> {
  try {
    const own = { ...(key as JsonWebKey), d: undefined, ext: undefined, key_ops: undefined };
    const imported = await crypto.subtle.importKey('jwk', own as object as JsonWebKey, scheme, false, [
      'verify',
    ]);
    const { modulusLength: bits = FEWEST_BITS } = imported.algorithm as Partial<RsaHashedKeyAlgorithm>;
    if (bits < FEWEST_BITS || bits > MOST_BITS) return undefined;
    return await crypto.subtle.verify(scheme, imported, jws._signature, jws._signed);
  } catch {
    return undefined;
  }
}
