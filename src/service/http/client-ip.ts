/** The IP address of the client. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { unmapIp } from '../../shared/ip.ts';

/** Behind a trusted proxy, the IP address that the proxy names. If that is unreadable, the proxy's own. */
export function clientIp(request: FastifyRequest): string {
  const named = unmapIp(request.ip ?? '');
  return isIP(named) ? named : unmapIp(request.socket.remoteAddress ?? '');
}
