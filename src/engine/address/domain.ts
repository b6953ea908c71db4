/** Domains of addresses: their ASCII form, and whether they can be in the DNS. */
import { parse } from 'tldts';
import { toASCII } from 'tr46';

/** Labels of letters, digits and hyphens, no hyphen at either end (RFC 5321's `sub-domain`). */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** ASCII without punycode. */
const PLAIN = /^(?!.*xn--)[a-z0-9.-]+$/i;

/**
 * The DNS's limit for the ASCII form. It holds before the mapping as well: an address of 254 octets
 * (RFC 5321) cannot contain a longer domain.
 */
export const MAX_DOMAIN_LENGTH = 253;

/** The lower-case form with punycode, or `undefined` for text that is not a domain. */
export function toAsciiDomain(domain: string): string | undefined {
  // Comes first: the time that the mapping takes grows with the square of the length.
  if (domain.length > MAX_DOMAIN_LENGTH) return undefined;
  // The mapping would drop invisible characters and read other full stops as dots. Such text is a typing error.
  if (/[\u00AD\u200B\u2060\uFEFF\u3002\uFF0E\uFF61]/.test(domain)) return undefined;
  // Most domains need no mapping, and skip the tables of Unicode.
  const ascii = PLAIN.test(domain)
    ? domain.toLowerCase()
    : toASCII(domain, { checkBidi: true, checkJoiners: true, verifyDNSLength: true });
  return ascii !== null && DOMAIN.test(ascii) ? ascii : undefined;
}

/** Whether anybody can register a name directly under this one, such as `com` or `co.uk`. */
export function isPublicSuffix(asciiDomain: string): boolean {
  const { publicSuffix, isIcann } = parse(asciiDomain);
  return isIcann === true && publicSuffix === asciiDomain;
}
