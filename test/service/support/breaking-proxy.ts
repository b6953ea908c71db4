/** A proxy before a PostgreSQL server that breaks a connection at a chosen point of a conversation. */
import { connect, createServer } from 'node:net';
import { listenOnLoopback } from '../../loopback.ts';

/**
 * `unsent`: the query never reaches the server. `unanswered`: the server works on it, and its answer is lost. `paused`: the
 * answer arrives, and then the server ends the connection, as it does if a process is frozen in a transaction.
 */
export type Break = 'unsent' | 'unanswered' | 'paused';

export interface BreakingProxy {
  /** The URL of the same database through the proxy. */
  readonly url: string;
  /** Breaks a connection once, at the query that comes after so many others. */
  breakAfter(queries: number, how: Break): void;
  /** Whether the connection was broken. */
  readonly isBroken: boolean;
}

const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);
const PAUSED = fatal('25P03', 'terminating connection due to idle-in-transaction timeout');

/** An ErrorResponse of the protocol. */
function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** @param url of a database on a Unix socket. The proxy ends with the test */
export async function startBreakingProxy(url: string): Promise<BreakingProxy> {
  const direct = new URL(url.replace('@/', '@localhost/'));
  let left = Number.POSITIVE_INFINITY;
  let break_: Break = 'unsent';
  let isBroken = false;

  const server = createServer((client) => {
    const upstream = connect(`${direct.searchParams.get('host')}/.s.PGSQL.5432`);
    let isChosen = false;
    const end = () => {
      isBroken = true;
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (chunk) => {
      left -= 1;
      isChosen ||= left === -1;
      if (isChosen && break_ === 'unsent') end();
      else upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isChosen) client.write(chunk);
      else if (break_ === 'unanswered') end();
      else if (chunk.subarray(-6, -1).equals(READY_FOR_QUERY)) {
        isBroken = true;
        client.end(Buffer.concat([chunk, PAUSED]));
        upstream.destroy();
      } else client.write(chunk);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => to.end());
    }
  });
  const port = await listenOnLoopback(server);
  return {
    url: `postgres://${direct.username}:${direct.password}@127.0.0.1:${port}${direct.pathname}`,
    breakAfter(queries, how) {
      left = queries;
      break_ = how;
      isBroken = false;
    },
    get isBroken() {
      return isBroken;
    },
  };
}
