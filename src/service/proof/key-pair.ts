/** Makes and reads the P-256 keys that sign proofs. Knows no place where they are kept. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { PROOF_ALGORITHM, type PublishedKey, proofHead } from '../../protocol/proof.ts';
import { digestOf } from '../../shared/sha256.ts';
import { generateKeys } from '../core/generate-keys.ts';

/** The public point of a key, in base64url. */
export type PublicPoint = { readonly x: string; readonly y: string };

/** A key as it is kept. */
export interface KeyPair extends PublicPoint {
  /** Its thumbprint. */
  readonly kid: string;
  /** The private number, in base64url. */
  readonly d: string;
}

/** A key that signs. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** The header of its proofs, encoded. */
  readonly head: string;
}

export function makeKeyPair(): KeyPair {
  const { x, y, d } = generateKeys('P-256').privateKey.export({ format: 'jwk' });
  return { kid: thumbprintOf({ x: x!, y: y! }), x: x!, y: y!, d: d! };
}

/** The digest of the required members, in the order of the alphabet (RFC 7638, section 3). */
export function thumbprintOf({ x, y }: PublicPoint): string {
  return digestOf(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y })).toString('base64url');
}

/** @throws if the point is not one of the curve */
export function signingKeyOf({ kid, x, y, d }: KeyPair): SigningKey {
  const privateKey = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d }, format: 'jwk' });
  return { kid, privateKey, head: encode(proofHead(kid)) };
}

/** The key as it is published. */
export function publishedKeyOf({ kid, x, y }: PublicPoint & Pick<KeyPair, 'kid'>): PublishedKey {
  return { kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: PROOF_ALGORITHM, kid };
}

/** A part of a JWS. */
export const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
