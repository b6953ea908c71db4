/** Which page a request comes from. */
import type { FastifyRequest } from 'fastify';

/**
 * The `Origin` header.
 *
 * @param servesPages whether the service has pages of its own. Browsers send no `Origin` with a GET to the page's
 *   own origin, but `Sec-Fetch-Site: same-origin`, which no script of a page can set. Where the service has no pages
 *   nothing can come from them, and such a header is a client's invention.
 */
export function senderOrigin(request: FastifyRequest, servesPages: boolean): string | undefined {
  const { origin, host } = request.headers;
  if (origin !== undefined) return origin;
  const isOwnPage = servesPages && request.headers['sec-fetch-site'] === 'same-origin';
  return isOwnPage && host !== undefined ? `http://${host}` : undefined;
}
