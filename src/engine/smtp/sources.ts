/** Chooses where conversations start: at the machine's own IP addresses, or at SOCKS5 proxies. */
import { isIP } from 'node:net';
import { sha256 } from '../../shared/sha256.ts';
import { parseProxy, type SocksProxy } from './socks-proxy.ts';

export type Source =
  | { readonly kind: 'direct'; readonly localAddress: string | undefined }
  | { readonly kind: 'proxy'; readonly proxy: SocksProxy };

export type Sources = ReturnType<typeof createSources>;

/** @throws if an entry is wrong. The message does not quote the entry, which may contain a password */
export function createSources(localAddresses: readonly string[], socksProxies: readonly string[]) {
  const proxies = socksProxies.map(parseProxy);
  for (const [index, address] of localAddresses.entries()) {
    if (isIP(address) === 0)
      throw new Error(`Expected an IP address in localAddresses, at position ${index + 1}.`);
  }
  return {
    /**
     * A recipient always gets the same source, in all processes. A greylist lets a second attempt pass only if it comes
     * from the same IP address as the first.
     *
     * @returns `undefined` if there are local IP addresses, but none of the target's IP version
     */
    choose(ip: string, recipient: string): Source | undefined {
      if (proxies.length > 0) return { kind: 'proxy', proxy: pick(proxies, recipient)! };
      if (localAddresses.length === 0) return { kind: 'direct', localAddress: undefined };
      const ofVersion = localAddresses.filter((address) => isIP(address) === isIP(ip));
      const localAddress = pick(ofVersion, recipient);
      return localAddress === undefined ? undefined : { kind: 'direct', localAddress };
    },
  };
}

/** Picks an item by the hash of the recipient. */
function pick<Item>(items: readonly Item[], recipient: string): Item | undefined {
  if (items.length < 2) return items[0];
  return items[Number.parseInt(sha256(recipient.toLowerCase()).slice(0, 8), 16) % items.length];
}

/** A name for each source. It contains no password. */
export function nameOfSource(source: Source): string {
  return source.kind === 'direct' ? (source.localAddress ?? '') : `proxy ${source.proxy.name}`;
}
