/** Takes a port, or says in one sentence why none can be had. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The port cannot be listened on. The message is for the operator. */
export class ListenError extends Error {}

/**
 * Listens on the first free port from `port` on. With one try, on that port or not at all.
 *
 * @returns the address that others reach it by
 * @throws {ListenError} when no port can be listened on
 */
export async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  tries: number,
): Promise<string> {
  for (let next = port; ; next += 1) {
    try {
      await app.listen({ host, port: next });
      const taken = (app.server.address() as AddressInfo).port;
      return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE' && next + 1 < port + tries) continue;
      throw new ListenError(listenAdvice(code, host, next));
    }
  }
}

function listenAdvice(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    return `Expected port ${port} on ${host} to be free, but something listens there already. Stop that, or name another with --port (0 takes a free one).`;
  }
  if (code === 'EACCES')
    return `Expected a port that may be listened on, got ${port}. Name one above 1023 with --port.`;
  return `Expected a host of this machine, got ${host} (${code ?? 'unknown error'}). Name one with --host.`;
}
