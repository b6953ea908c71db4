/** Finds the origin of the page that sends a request. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/**
 * The `Origin` header.
 *
 * @param servesPages whether the service has its own pages. With a GET to the page's own origin, browsers send no
 *   `Origin`, so other headers tell that the request comes from there. If the service has no pages, such headers are
 *   made up and do not count.
 */
export function senderOrigin(request: FastifyRequest, servesPages: boolean): string | undefined {
  const { origin, host } = request.headers;
  if (origin !== undefined) return origin;
  if (!servesPages || host === undefined) return undefined;
  const own = `http://${host}`;
  return isFromPageOf(own, request.headers) ? own : undefined;
}

/**
 * By `Sec-Fetch-Site`, which browsers send over TLS and on their own machine. On another device and without TLS, the
 * referrer tells. No script of a page can set either of them to what it is not.
 */
function isFromPageOf(own: string, headers: IncomingHttpHeaders): boolean {
  const relation = headers['sec-fetch-site'];
  if (relation !== undefined) return relation === 'same-origin';
  return headers.referer?.startsWith(`${own}/`) ?? false;
}
