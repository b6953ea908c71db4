/** What the service's own links begin with. */
import type { FastifyInstance } from 'fastify';

/**
 * @param configured the config's `publicUrl`, without a slash at the end
 * @returns a function for the time of a request: the port may be known only when the service listens
 */
export function publicUrlOf(app: FastifyInstance, configured: string | undefined): () => string {
  return () => {
    if (configured !== undefined) return configured;
    const address = app.server.address();
    if (address === null || typeof address === 'string') return 'http://localhost';
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${host}:${address.port}`;
  };
}
