/** The headers of every page, and of the redirects between them. */
import type { FastifyReply } from 'fastify';
import { type Directives, type Headers, recordHeaders } from '../http/security-headers.ts';

/**
 * Pages cannot be framed, which prevents clickjacking (RFC 9700, section 4.16). Only the dashboard and the sign-in have scripts. Pages
 * send no referrer, because their URLs contain user codes and parameters of apps.
 *
 * @param formTargets other sites that forms may lead to
 * @param more further directives of the content security policy, for pages with scripts
 */
export const pageHeaders = (formTargets: readonly string[] = [], more: Directives = {}): Headers =>
  recordHeaders(
    {
      'default-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'", ...formTargets],
      'frame-ancestors': ["'none'"],
      // The icon.
      'img-src': ["'self'"],
      'style-src': ["'self'"],
      ...more,
    },
    {
      // Apps open the pages in a separate window, which needs its opener at the end.
      crossOriginOpenerPolicy: { policy: 'unsafe-none' },
      crossOriginResourcePolicy: { policy: 'same-origin' },
      referrerPolicy: { policy: 'no-referrer' },
      xFrameOptions: { action: 'deny' },
    },
  );

const ORDINARY = pageHeaders();

export function setPageHeaders(reply: FastifyReply): void {
  reply.headers(ORDINARY);
}
