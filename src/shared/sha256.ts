/** SHA-256 of short texts. */
import crypto from 'node:crypto';

/** SHA-256, in hexadecimal digits. */
export function sha256(text: string): string {
  // Takes half the time and makes no garbage. Node has it since 20.12.
  if (crypto.hash) return crypto.hash('sha256', text);
  return crypto.createHash('sha256').update(text).digest('hex');
}
