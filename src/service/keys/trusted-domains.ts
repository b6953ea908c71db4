/** Decides which pages may use a public key, by the host of their origin. */
import { hostOfOrigin, normaliseHost } from '../../network/host-name.ts';

/** @returns a test for the value of an `Origin` header */
export function trustDomains(domains: readonly string[]): (origin: string) => boolean {
  const hosts = domains.flatMap((domain) => normaliseHost(domain) ?? []);
  return (origin) => {
    const host = hostOfOrigin(origin);
    // The dot before the domain excludes `evilshop.example`. The end of the name excludes `shop.example.evil.test`.
    // `localhost` and IP addresses have no subdomains. The URL parser ensures that for IP addresses.
    return hosts.some(
      (trusted) => host === trusted || (trusted !== 'localhost' && host?.endsWith(`.${trusted}`)),
    );
  };
}
