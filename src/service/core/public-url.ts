/** The base of links to the service: the config's `publicUrl`, or the URL that the service prints when it listens. */
import type { AddressInfo } from 'node:net';

export interface PublicUrl {
  /** The configured URL, without a slash at the end. */
  readonly configured: string | undefined;
  /** Without a slash at the end. Without a configured URL, it resolves when the service listens. */
  readonly known: Promise<string>;
  /** The URL during a request. */
  now(): string;
  /** Sets the address that the service listens on. A configured URL wins. */
  listensOn(address: AddressInfo): void;
}

/** For requests that reach the service without a socket, as in tests. */
const NOWHERE = 'http://localhost';

/**
 * @param configured a URL without a slash at the end @param host what the service was told to listen on. By default, it
 * is the IP address that it listens on
 */
export function createPublicUrl(configured: string | undefined, host?: string): PublicUrl {
  let url = configured;
  let resolve!: (url: string) => void;
  const known = new Promise<string>((settle) => {
    resolve = settle;
  });
  if (url !== undefined) resolve(url);
  return {
    configured,
    known,
    now: () => url ?? NOWHERE,
    listensOn({ address, port }) {
      const name = host ?? address;
      url ??= `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
      resolve(url);
    },
  };
}
