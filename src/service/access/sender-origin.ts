/** Finds the origin of the page that sends a request. */
import type { FastifyRequest } from 'fastify';

/**
 * The `Origin` header.
 *
 * @param servesPages whether the service has its own pages. With a GET to the page's own origin, browsers send no
 * `Origin` but `Sec-Fetch-Site: same-origin`, which scripts cannot set. If the service has no pages, such a header is
 * made up and does not count.
 */
export function senderOrigin(request: FastifyRequest, servesPages: boolean): string | undefined {
  const { origin, host } = request.headers;
  if (origin !== undefined) return origin;
  const isOwnPage = servesPages && request.headers['sec-fetch-site'] === 'same-origin';
  return isOwnPage && host !== undefined ? `http://${host}` : undefined;
}
