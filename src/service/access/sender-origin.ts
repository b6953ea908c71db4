/** Finds the origin of the page that sends a request. */
import type { FastifyRequest } from 'fastify';

/**
 * The `Origin` header.
 *
 * @param servesPages whether the service has its own pages. With a GET to the page's own origin, browsers send no
 *   `Origin`, so other headers tell that the request comes from there. If the service has no pages, such headers are
 *   made up and do not count.
 */
export function senderOrigin(request: FastifyRequest, servesPages: boolean): string | undefined {
  const { origin, host, referer, 'sec-fetch-site': relation } = request.headers;
  if (origin !== undefined) return origin;
  if (!servesPages || host === undefined) return undefined;
  // Behind a proxy, only the referrer tells whether the page came over TLS. It counts with the request's host alone.
  const own = ['https', 'http'].map((scheme) => `${scheme}://${host}`);
  const page = own.find((each) => referer?.startsWith(`${each}/`));
  // Browsers send `Sec-Fetch-Site` over TLS and on their own machine. On another device and without TLS, the referrer
  // tells. No script of a page can set either of them to what it is not.
  if (relation === undefined) return page;
  return relation === 'same-origin' ? (page ?? `http://${host}`) : undefined;
}
