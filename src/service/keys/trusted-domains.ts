/** Decides which pages may use a public key, by their origin. Keys and preflights share this decision. */
import { hostOfOrigin, normaliseHost } from '../../shared/host-name.ts';

/**
 * The domains that cover a page: its host and the domains above it. A key trusts the page if it trusts one of them.
 * Only pages of http and https have any, so files, extensions and sandboxed frames are never trusted.
 */
export function domainsOfOrigin(origin: string): string[] {
  const host = hostOfOrigin(origin);
  return host === undefined ? [] : domainsAbove(host);
}

/** `a.shop.example` → `a.shop.example`, `shop.example`, `example`. An IP address has no domains above it. */
function domainsAbove(host: string): string[] {
  if (/^\[|^[\d.]+$/.test(host)) return [host];
  const labels = host.split('.');
  const domains = labels.map((_, index) => labels.slice(index).join('.'));
  // `localhost` has no subdomains.
  return domains.filter((domain) => domain === host || domain !== 'localhost');
}

/** @returns a test for the value of an `Origin` header */
export function trustDomains(domains: readonly string[]): (origin: string) => boolean {
  const trusted = new Set(domains.flatMap((domain) => normaliseHost(domain) ?? []));
  return (origin) => domainsOfOrigin(origin).some((domain) => trusted.has(domain));
}
