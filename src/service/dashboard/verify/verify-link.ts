/**
 * The URL of a result contains the address, encrypted with a key derived from the browser's cookie. So the service
 * stores no address for the page, logs and histories have none, and every process can show the page. Other browsers
 * cannot open it. The cookie changes with each sign-in.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** A verification that the page was asked for. */
export interface Asked {
  readonly address: string;
  readonly acceptAll: boolean;
  readonly mode: 'test' | 'live';
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param cookie the value of the browser's cookie */
export function sealAsked(cookie: string, { address, acceptAll, mode, at }: Asked): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(cookie), nonce, { authTagLength: TAG_BYTES });
  const text = cipher.update(JSON.stringify([address, acceptAll, mode, at]));
  return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** @returns undefined for a text that was not made for this browser */
export function openAsked(cookie: string, sealed: string | undefined): Asked | undefined {
  const bytes = Buffer.from(sealed ?? '', 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(cookie), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    const [address, acceptAll, mode, at] = JSON.parse(text.toString('utf8'));
    return { address, acceptAll, mode, at };
  } catch {
    return undefined;
  }
}

const keyOf = (cookie: string): Buffer => Buffer.from(hkdfSync('sha256', cookie, '', 'verified address', 32));
