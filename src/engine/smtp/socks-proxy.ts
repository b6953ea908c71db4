/** Connects through a SOCKS5 proxy (RFC 1928), with an optional user and password (RFC 1929). */
import type { Socket } from 'node:net';
import { SocksClient } from 'socks';

export interface SocksProxy {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Host and port, for the evidence. */
  readonly name: string;
}

/** RFC 1929: the length is one byte. */
const MAX_CREDENTIAL_BYTES = 255;

/** @throws if it is not `socks5://user:password@host:port`. The message does not quote it. */
export function parseProxy(url: string, index: number): SocksProxy {
  const fail = () =>
    new Error(`Expected socks5://user:password@host:port in socksProxies, at position ${index + 1}.`);
  if (!URL.canParse(url)) throw fail();
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(url);
  if (protocol !== 'socks5:' || hostname === '' || !/^\/?$/.test(pathname) || search || hash) throw fail();
  const credential = (text: string): string | undefined => {
    let plain: string;
    try {
      plain = decodeURIComponent(text);
    } catch {
      throw fail();
    }
    if (Buffer.byteLength(plain) > MAX_CREDENTIAL_BYTES) throw fail();
    return plain === '' ? undefined : plain;
  };
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const number = port === '' ? 1080 : Number(port);
  const name = `${hostname}:${number}`;
  return { host, port: number, user: credential(username), password: credential(password), name };
}

/**
 * Asks the proxy for a connection to the IP address. The caller owns the socket, and destroys it to give up.
 *
 * @param socket connected to the proxy
 * @returns whether the proxy has connected. The proxy's own error is dropped, because it contains the password
 */
export function tunnel(socket: Socket, proxy: SocksProxy, ip: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const client = new SocksClient({
      command: 'connect',
      destination: { host: ip, port },
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: 5,
        ...(proxy.user === undefined ? {} : { userId: proxy.user }),
        ...(proxy.password === undefined ? {} : { password: proxy.password }),
      },
      existing_socket: socket,
    });
    client.on('established', () => resolve(true));
    client.on('error', () => resolve(false));
    client.connect(socket);
  });
}
