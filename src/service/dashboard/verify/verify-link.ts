/**
 * The URL of a result contains the address, encrypted with a key derived from the browser's cookie. So the service
 * stores no address for the page, logs and histories have none, and every process can show the page. Other browsers
 * cannot open it. The cookie changes with each sign-in.
 */
import { hkdfSync } from 'node:crypto';
import { seal, unseal } from '../../core/seal.ts';

/** A verification that the page was asked for. */
export interface Asked {
  readonly address: string;
  readonly acceptAll: boolean;
  readonly mode: 'test' | 'live';
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** @param cookie the value of the browser's cookie */
export const sealAsked = (cookie: string, { address, acceptAll, mode, at }: Asked): string =>
  seal(keyOf(cookie), JSON.stringify([address, acceptAll, mode, at])).toString('base64url');

/** @returns undefined for a text that was not made for this browser */
export function openAsked(cookie: string, sealed = ''): Asked | undefined {
  const text = unseal(keyOf(cookie), Buffer.from(sealed, 'base64url'));
  if (text === undefined) return undefined;
  const [address, acceptAll, mode, at] = JSON.parse(text);
  return typeof address === 'string' ? { address, acceptAll, mode, at } : undefined;
}

/** Several addresses that the page was asked for at once. */
export interface AskedSeveral extends Omit<Asked, 'address'> {
  readonly addresses: readonly string[];
}

export const sealSeveral = (cookie: string, { addresses, acceptAll, mode, at }: AskedSeveral): string =>
  seal(keyOf(cookie), JSON.stringify([addresses, acceptAll, mode, at])).toString('base64url');

/** @returns undefined for a text that was not made for this browser, or for a single address */
export function openSeveral(cookie: string, sealed = ''): AskedSeveral | undefined {
  const text = unseal(keyOf(cookie), Buffer.from(sealed, 'base64url'));
  if (text === undefined) return undefined;
  const [addresses, acceptAll, mode, at] = JSON.parse(text);
  return Array.isArray(addresses) ? { addresses, acceptAll, mode, at } : undefined;
}

const keyOf = (cookie: string): Buffer => Buffer.from(hkdfSync('sha256', cookie, '', 'verified address', 32));
