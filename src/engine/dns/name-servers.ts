/** The name servers to ask: those of the config, or the system's. */
import { Resolver as SystemResolver } from 'node:dns';
import { isIP } from 'node:net';

export interface NameServer {
  readonly ip: string;
  readonly port: number;
}

/** The system's name servers can change: laptops change networks, and containers write `resolv.conf` late. */
const READ_AGAIN_AFTER_MS = 30_000;

const DNS_PORT = 53;

/**
 * @param text `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`
 * @returns `undefined` for anything else, such as a host name
 */
export function parseNameServer(text: string): NameServer | undefined {
  if (isIP(text)) return { ip: text, port: DNS_PORT };
  const [, v6, v4, digits] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const ip = v6 ?? v4 ?? '';
  const port = digits === undefined ? DNS_PORT : Number(digits);
  const isRight = isIP(ip) === (v6 === undefined ? 4 : 6) && port >= 1 && port <= 65535;
  return isRight ? { ip, port } : undefined;
}

/**
 * @param servers the config's. If it has none, the system's, which are read again after a pause
 * @param now milliseconds
 * @throws a `TypeError` for an entry that is not a name server
 */
export function nameServers(
  servers: readonly string[] | undefined,
  now: () => number,
  readSystem: () => readonly string[] = readSystemServers,
): () => readonly NameServer[] {
  if (servers && servers.length > 0) {
    const parsed = servers.map((text) => {
      const server = parseNameServer(text);
      if (!server) throw new TypeError(`Expected a name server as ip:port, got "${text}".`);
      return server;
    });
    return () => parsed;
  }
  let known: readonly NameServer[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() - readAt >= READ_AGAIN_AFTER_MS) {
      readAt = now();
      known = readSystem().flatMap((text) => parseNameServer(text) ?? []);
    }
    return known;
  };
}

/** A new resolver reads the system's files again. `dns.getServers()` shows them as they were at the start. */
function readSystemServers(): readonly string[] {
  return new SystemResolver().getServers();
}
