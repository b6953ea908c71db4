/** Which machine a request comes from. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { unmapIp } from '../../network/ip.ts';

/** Behind a trusted proxy the one it names; the proxy itself when it names none that can be read. */
export function clientIp(request: FastifyRequest): string {
  const named = unmapIp(request.ip ?? '');
  return isIP(named) ? named : unmapIp(request.socket.remoteAddress ?? '');
}
