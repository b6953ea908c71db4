/** Which pages may use a public key: by the host of their origin. */
import { hostOfOrigin, normaliseHost } from '../../network/host-name.ts';

/** @returns a test for the value of an `Origin` header */
export function trustDomains(domains: readonly string[]): (origin: string) => boolean {
  const hosts = domains.flatMap((domain) => normaliseHost(domain) ?? []);
  return (origin) => {
    const host = hostOfOrigin(origin);
    // The dot before the domain keeps out `evilshop.example`; the end of the name keeps out `shop.example.evil.test`.
    // Nothing lies under `localhost`; nor under an IP address, which the URL parser sees to.
    return hosts.some(
      (trusted) => host === trusted || (trusted !== 'localhost' && host?.endsWith(`.${trusted}`)),
    );
  };
}
