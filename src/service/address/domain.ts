/** Domains of addresses: their ASCII form, and whether they can be in the DNS at all. */
import { parse } from 'tldts';
import { toASCII } from 'tr46';

/** Labels of letters, digits and hyphens, no hyphen at either end (RFC 5321's `sub-domain`). */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** ASCII without punycode, within the DNS's length. */
const PLAIN = /^(?!.*xn--)[a-z0-9.-]{1,253}$/i;

/** The lower-case form with punycode, or `undefined` for what is no domain. */
export function toAsciiDomain(domain: string): string | undefined {
  // The mapping would drop invisible characters and take other full stops for dots: a visitor's slip, not a domain.
  if (/[\u00AD\u200B\u2060\uFEFF\u3002\uFF0E\uFF61]/.test(domain)) return undefined;
  // Most domains have nothing to be mapped, and the tables of all of Unicode need not be asked.
  const ascii = PLAIN.test(domain)
    ? domain.toLowerCase()
    : toASCII(domain, { checkBidi: true, checkJoiners: true, verifyDNSLength: true });
  return ascii !== null && DOMAIN.test(ascii) ? ascii : undefined;
}

/** Whether this is a name that anybody can register something under, such as `com` or `co.uk`. */
export function isPublicSuffix(asciiDomain: string): boolean {
  const { publicSuffix, isIcann } = parse(asciiDomain);
  return isIcann === true && publicSuffix === asciiDomain;
}
