/** A proxy before a PostgreSQL server that can stop passing bytes, as a broken network does. Connections stay open. */
import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from '../../loopback.ts';

export interface SilentProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /** From now on, no byte passes. */
  silence(): void;
  /** What was held up passes, and everything after it. */
  speak(): void;
}

/** @param url of a database on a Unix socket. The proxy ends with the test */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const direct = new URL(url.replace('@/', '@localhost/'));
  let held: (() => void)[] = [];
  let isSilent = false;
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => {
      if (isSilent) held.push(() => to.write(chunk));
      else to.write(chunk);
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(`${direct.searchParams.get('host')}/.s.PGSQL.5432`);
    pass(client, upstream);
    pass(upstream, client);
  });
  const port = await listenOnLoopback(server);
  return {
    url: `postgres://${direct.username}:${direct.password}@127.0.0.1:${port}${direct.pathname}`,
    silence() {
      isSilent = true;
    },
    speak() {
      isSilent = false;
      for (const write of held) write();
      held = [];
    },
  };
}
