/** Takes a port, or says in one sentence why none can be had. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface ListenNames {
  readonly port: string;
  readonly host: string;
}

const FLAGS: ListenNames = { port: '--port', host: '--host' };

/** The port cannot be listened on. The message is for the operator. */
export class ListenError extends Error {}

/**
 * Listens on the first free port from `port` on. With one try, on that port or not at all.
 *
 * @param names how the operator names another port and host
 * @returns the address that others reach it by
 * @throws {ListenError} when no port can be listened on
 */
export async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  tries: number,
  names: ListenNames = FLAGS,
): Promise<string> {
  for (let next = port; ; next += 1) {
    try {
      await app.listen({ host, port: next });
      const taken = (app.server.address() as AddressInfo).port;
      return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE' && next + 1 < port + tries) continue;
      throw new ListenError(listenAdvice(code, host, next, names));
    }
  }
}

function listenAdvice(code: string | undefined, host: string, port: number, names: ListenNames): string {
  if (code === 'EADDRINUSE') {
    return `Expected port ${port} on ${host} to be free, but something listens there already. Stop that, or name another with ${names.port} (0 takes a free one).`;
  }
  if (code === 'EACCES')
    return `Expected a port that may be listened on, got ${port}. Name one above 1023 with ${names.port}.`;
  return `Expected a host of this machine, got ${host} (${code ?? 'unknown error'}). Name one with ${names.host}.`;
}
