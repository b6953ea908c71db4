/** Listens on a port, or explains in one sentence why it cannot. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface ListenNames {
  readonly port: string;
  readonly host: string;
}

const FLAGS: ListenNames = { port: '--port', host: '--host' };

/** The service cannot listen on the port. The message is for the operator. */
export class ListenError extends Error {}

/**
 * Listens on the first free port from `port` upwards. With one try, only on that port.
 *
 * @param names the settings for the port and the host, for the error message @returns the URL at which clients reach it
 * @throws {ListenError} if it cannot listen on any port
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
  if (code === 'EADDRINUSE')
    return `Expected port ${port} on ${host} to be free, but another program uses it. Stop that program, or set another port with ${names.port} (0 takes a free one).`;
  if (code === 'EACCES')
    return `The service has no permission to listen on port ${port}. Set a port above 1023 with ${names.port}.`;
  return `Expected a host of this machine, got ${host} (${code ?? 'unknown error'}). Set one with ${names.host}.`;
}
