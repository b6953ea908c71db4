/** SHA-256 of short texts. `crypto.hash` takes half the time and makes no garbage. Node has it since 20.12. */
import crypto from 'node:crypto';

/** SHA-256, in hexadecimal digits. */
export function sha256(text: string): string {
  if (crypto.hash) return crypto.hash('sha256', text);
  return crypto.createHash('sha256').update(text).digest('hex');
}

/** SHA-256, in bytes. What the database stores of a secret: secrets are random, so a fast hash is enough. */
export function digestOf(text: string): Buffer {
  if (crypto.hash) return crypto.hash('sha256', text, 'buffer');
  return crypto.createHash('sha256').update(text).digest();
}
