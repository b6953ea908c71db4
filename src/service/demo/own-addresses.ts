/** The machine's own IP addresses, at which other devices reach a demo that listens on more than loopback. */
import { networkInterfaces } from 'node:os';
import type { Key, KeyRing } from '../keys/key.ts';
import { trustDomains } from '../keys/trusted-domains.ts';
import { trustIps } from '../keys/trusted-ips.ts';
import { DEMO_KEYS } from './demo-keys.ts';

/** Hosts that stand for all addresses of the machine. */
const WILDCARDS = ['0.0.0.0', '::'];

export interface DemoUrls {
  /** For a browser on this machine. No URL ends with a slash. */
  readonly here: string;
  /** For other devices. Empty if the machine has no address in a network. Absent if the demo listens on loopback only. */
  readonly network: readonly string[] | undefined;
}

/** @param host what the demo listens on */
export function demoUrls(host: string, port: number, interfaces = networkInterfaces()): DemoUrls {
  const urlAt = (address: string) => `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  const isWildcard = WILDCARDS.includes(host);
  const own = ownAddresses(host, interfaces);
  return {
    // No key trusts a page at the wildcard's own URL.
    here: urlAt(isWildcard ? '127.0.0.1' : host),
    network: isWildcard || own.length > 0 ? own.map(urlAt) : undefined,
  };
}

/** @param host what the demo listens on @returns none for loopback */
export function ownAddresses(host: string, interfaces = networkInterfaces()): string[] {
  return (
    Object.values(interfaces)
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal }) => !internal)
      .filter((own) => own.address === host || host === '::' || (host === '0.0.0.0' && own.family === 'IPv4'))
      // An address of one link names the interface too, and no URL can.
      .filter((own) => own.family === 'IPv4' || own.scopeid === 0)
      .map(({ address }) => address)
  );
}

/**
 * The demo's keys also trust pages at the machine's own addresses, and programs on the machine that use them. Nothing
 * is stored: the next start on loopback trusts loopback alone.
 *
 * @param addresses is asked with each request, because a machine moves from network to network
 */
export function trustOwnAddresses(ring: KeyRing, addresses: () => readonly string[]): KeyRing {
  const demoKeys = DEMO_KEYS.map(({ key }) => key);
  const isOwnPage = (origin: string) => trustDomains(addresses())(origin);
  const isOwnIp = (ip: string) => trustIps(addresses())(ip);
  const widen = (key: Key | undefined): Key | undefined => {
    if (!key) return undefined;
    if (key.kind === 'private') return { ...key, trustsIp: (ip) => key.trustsIp(ip) || isOwnIp(ip) };
    return { ...key, trustsOrigin: (origin) => key.trustsOrigin(origin) || isOwnPage(origin) };
  };
  return {
    find(value) {
      const found = ring.find(value);
      if (!demoKeys.includes(value)) return found;
      return found instanceof Promise ? found.then(widen) : widen(found);
    },
    findAccessToken: ring.findAccessToken,
    anyTrustsOrigin: (origin) => isOwnPage(origin) || ring.anyTrustsOrigin(origin),
  };
}
