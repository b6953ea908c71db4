/** Defines when two live requests are equal, and encrypts a result so that only an equal request can read it. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { splitAddress } from '../../../engine/address/parts.ts';
import { oneSpelling } from '../../../engine/address/spelling.ts';
import type { Verified } from '../../../engine/verifier.ts';
import { digestOf } from '../../../shared/sha256.ts';

/**
 * Spellings of one mailbox are equal. Case matters in the local part, because a mail server may distinguish `Jo@` from
 * `jo@`. The timeout does not matter: a request with another timeout joins.
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

/** Identifies the question without revealing the address. */
export function questionDigest(question: Question): Buffer {
  return digestOf(`verification question\n${textOf(question)}`);
}

/**
 * Encrypts a result and its evidence with a key that is derived from the question. The key is stored nowhere.
 *
 * The evidence is an additional field of the result. So a process of an older release, which knows only results, can
 * still read it.
 */
export function sealOutcome(question: Question, { result, evidence }: Verified): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(question), nonce, { authTagLength: TAG_BYTES });
  const text = Buffer.concat([cipher.update(JSON.stringify({ ...result, evidence })), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts the output of {@link sealOutcome} for an equal question. Outcomes of older releases have no evidence. */
export function openOutcome(question: Question, sealed: Buffer): Verified {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const text = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(question), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  const json = Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  const { evidence = [], ...result } = JSON.parse(json);
  return asTyped({ result, evidence }, question.address);
}

/** The result of an equal question, with the address as this one spells it. */
export function asTyped({ result, evidence }: Verified, address: string): Verified {
  if (result.email === address) return { result, evidence };
  const { user, tag, domain } = splitAddress(address);
  return { result: { ...result, email: address, user, tag, domain }, evidence };
}

function keyOf(question: Question): Buffer {
  return Buffer.from(hkdfSync('sha256', textOf(question), '', 'verification outcome', 32));
}

function textOf({ accountId, address, smtp, acceptAll }: Question): string {
  return JSON.stringify([accountId, oneSpelling(address), smtp, acceptAll]);
}
