/** Signs the results that pages get, so that the page's own server can trust them. */
import { randomBytes, sign } from 'node:crypto';
import { MOST_PROOF_BYTES, type ProvenResult, proofClaims } from '../../protocol/proof.ts';
import { within } from '../../shared/within.ts';
import { GRACE_MS } from '../core/bounds.ts';
import { describeError, type Log } from '../core/log.ts';
import type { PublicUrl } from '../core/public-url.ts';
import type { MaybePromise } from '../keys/key.ts';
import { encode, type SigningKey } from './key-pair.ts';
import type { CurrentKeys, ProofKeys } from './proof-keys.ts';

const JTI_BYTES = 16;
/** How many are drawn at a time: for one, the call takes longer than its bytes. */
const JTIS_DRAWN = 64;

/** Who gets the proof. */
export interface ProofPage {
  readonly origin: string;
  /** Whether the key is a test key. */
  readonly isTest: boolean;
}

export interface Proofs {
  /** @returns undefined for a proof that would be too long, and while the keys cannot be read */
  sign(result: ProvenResult, page: ProofPage): MaybePromise<string | undefined>;
}

export interface ProofsOptions {
  readonly keys: ProofKeys;
  readonly publicUrl: Pick<PublicUrl, 'now'>;
  /** How long a proof is valid. */
  readonly seconds: number;
  readonly log: Log;
  /** In milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export function createProofs({ keys, publicUrl, seconds, log, now = Date.now }: ProofsOptions): Proofs {
  function signWith({ signing }: CurrentKeys, result: ProvenResult, { origin, isTest }: ProofPage) {
    const iat = Math.floor(now() / 1000);
    const jti = drawJti();
    const claims = proofClaims(result, { iss: publicUrl.now(), aud: origin, iat, jti, seconds, isTest });
    const proof = writeJws(signing, claims);
    // The header and the signature are ASCII, so its length is that in bytes.
    return proof.length > MOST_PROOF_BYTES ? undefined : proof;
  }

  /** A visitor never waits long for a proof, and never gets an error because of one. */
  async function signLater(pending: Promise<CurrentKeys>, result: ProvenResult, page: ProofPage) {
    try {
      const current = await within(GRACE_MS, pending);
      if (current) return signWith(current, result, page);
      log('warn', 'result not signed', { reason: 'The keys took too long.' });
    } catch (error) {
      log('warn', 'result not signed', describeError(error));
    }
    return undefined;
  }

  return {
    sign(result, page) {
      const current = keys.current();
      return current instanceof Promise ? signLater(current, result, page) : signWith(current, result, page);
    },
  };
}

let drawn = Buffer.alloc(0);

/** Takes 128 random bits. No process hands out the same bytes twice. */
function drawJti(): string {
  if (!drawn.length) drawn = randomBytes(JTIS_DRAWN * JTI_BYTES);
  const jti = drawn.toString('base64url', 0, JTI_BYTES);
  drawn = drawn.subarray(JTI_BYTES);
  return jti;
}

/** A compact JWS. Its signature has two numbers of 32 bytes, not the DER of TLS (RFC 7518, section 3.4). */
function writeJws({ head, privateKey }: SigningKey, claims: object): string {
  const signed = `${head}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
