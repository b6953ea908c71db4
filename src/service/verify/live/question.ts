/** What makes two live requests equal, and how a result is kept so that only an equal request can read it. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { VerificationResult } from '../../../interface/result.ts';

/**
 * Case matters, because results quote the spelling of the address, and a mail server may tell `Jo@` from `jo@`.
 * The timeout does not matter: a request with another timeout joins.
 */
export interface Question {
  readonly accountId: string;
  readonly address: string;
  readonly smtp: boolean;
  readonly acceptAll: boolean;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Recognizes the question. The address cannot be read from it. */
export function digestOf(question: Question): Buffer {
  return createHash('sha256')
    .update(`verification question\n${textOf(question)}`)
    .digest();
}

/** Encrypts the result with a key that is derived from the question. The key is stored nowhere. */
export function sealResult(question: Question, result: VerificationResult): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(question), nonce, { authTagLength: TAG_BYTES });
  const text = Buffer.concat([cipher.update(JSON.stringify(result)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts what {@link sealResult} returned for an equal question. */
export function openResult(question: Question, sealed: Buffer): VerificationResult {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const text = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(question), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'));
}

function keyOf(question: Question): Buffer {
  return Buffer.from(hkdfSync('sha256', textOf(question), '', 'verification outcome', 32));
}

function textOf({ accountId, address, smtp, acceptAll }: Question): string {
  return JSON.stringify([accountId, address, smtp, acceptAll]);
}
