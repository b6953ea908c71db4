/** The network between the services and the database: it can cut connections, and stop passing bytes. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Network {
  readonly port: number;
  /** Resets all connections. New ones are accepted. */
  cut(): void;
  /** Passes no bytes from now on, in either direction, and keeps connections open. */
  freeze(): void;
  /** Ends one `freeze`. Bytes pass again after the last one. */
  thaw(): void;
  close(): Promise<void>;
}

/** @param socket the path of the server's socket */
export async function startNetwork(socket: string): Promise<Network> {
  const pairs = new Set<readonly [Socket, Socket]>();
  /** How many times it was frozen and not thawed. */
  let frozen = 0;
  const server = createServer((client) => {
    const upstream = connect(socket);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (frozen > 0) hold(pair);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  function hold([client, upstream]: readonly [Socket, Socket]): void {
    client.unpipe(upstream).pause();
    upstream.unpipe(client).pause();
  }

  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const [client, upstream] of pairs) {
        client.resetAndDestroy();
        upstream.destroy();
      }
    },
    freeze() {
      frozen += 1;
      if (frozen === 1) for (const pair of pairs) hold(pair);
    },
    thaw() {
      frozen -= 1;
      if (frozen > 0) return;
      for (const [client, upstream] of pairs) {
        client.pipe(upstream);
        upstream.pipe(client);
      }
    },
    async close() {
      server.close();
      for (const pair of pairs) for (const each of pair) each.destroy();
    },
  };
}
