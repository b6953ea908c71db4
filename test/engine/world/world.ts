/**
 * A small Internet on loopback: one name server, and mail servers that share a port on different loopback IP addresses.
 * Each domain stands for one line of the engine's table.
 */
import { type DnsServer, startDnsServer } from './dns-server.ts';
import type { Zone } from './dns-zone.ts';
import type { MailScript } from './mail-script.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

export interface World {
  readonly dns: DnsServer;
  /** By domain. */
  readonly servers: ReadonlyMap<string, MailServer>;
  /** The config's section `live` that leads into this world. */
  readonly live: {
    readonly helo: string;
    readonly mailFrom: string;
    readonly dns: readonly string[];
    readonly smtpPort: number;
    readonly allowPrivateAddresses: true;
  };
  server(domain: string): MailServer;
  close(): Promise<void>;
}

/**
 * @param scripts a mail server for each domain, at `mx.` below it
 * @param names more names of the DNS
 */
export async function startWorld(
  scripts: Readonly<Record<string, MailScript>>,
  names: Zone = {},
): Promise<World> {
  const servers = new Map<string, MailServer>();
  const zone: Record<string, Zone[string]> = {};
  let port: number | undefined;
  for (const [index, [domain, script]] of Object.entries(scripts).entries()) {
    const ip = `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;
    const server = await startMailServer(script, port === undefined ? { ip } : { ip, port });
    port ??= server.port;
    servers.set(domain, server);
    zone[domain] = { MX: [[10, `mx.${domain}`]] };
    zone[`mx.${domain}`] = { A: [ip] };
  }
  const dns = await startDnsServer({ ...zone, ...names });
  return {
    dns,
    servers,
    live: {
      helo: 'verify.world.test',
      mailFrom: 'probe@verify.world.test',
      dns: [dns.address],
      smtpPort: port ?? 25,
      allowPrivateAddresses: true,
    },
    server(domain) {
      const server = servers.get(domain);
      if (!server) throw new Error(`Expected a mail server for ${domain} in this world, got none.`);
      return server;
    },
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()));
      await dns.close();
    },
  };
}
