/** Finds one spelling for all those of a mailbox: letters can be composed in several ways, and domains have two forms. */
import { toAsciiDomain } from './domain.ts';

const PLAIN = /^[\0-\x7f]*$/;

/**
 * The local part in NFC, and the domain in its ASCII form (UTS 46). Upper and lower case of the local part differ, because
 * only its server knows whether they are the same mailbox.
 */
export function oneSpelling(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 0) return PLAIN.test(address) ? address : address.normalize('NFC');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  return `${PLAIN.test(local) ? local : local.normalize('NFC')}@${toAsciiDomain(domain) ?? domain.normalize('NFC')}`;
}
