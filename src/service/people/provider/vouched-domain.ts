/** The domains whose addresses the provider vouches for. */
import { toAsciiDomain } from '../../../engine/address/domain.ts';
import { isAddress } from '../../../engine/address/syntax.ts';

/**
 * Whether the provider vouches for an address. Such an address must not be taken by typing it: at the first sign-in of its
 * person at the provider, whoever has typed it would get the person's place.
 *
 * @param allowedDomains in ASCII
 */
export function isVouchedFor(email: string, allowedDomains: readonly string[]): boolean {
  if (!isAddress(email)) return false;
  const domain = toAsciiDomain(email.slice(email.lastIndexOf('@') + 1));
  return domain !== undefined && allowedDomains.includes(domain);
}
