/** The headers of every page, and of the redirects between them. */
import type { FastifyReply } from 'fastify';
import { type Headers, recordHeaders } from '../http/security-headers.ts';

/**
 * Nobody may frame a page, so a click on it is meant for it (RFC 9700, section 4.16: clickjacking). No page but the
 * dashboard's has scripts. The referrer is withheld, because addresses hold user codes and what apps have sent.
 *
 * @param formTargets where the forms may lead besides this service
 * @param more further directives of the content security policy, for pages with scripts
 */
export const pageHeaders = (
  formTargets: readonly string[] = [],
  more: Readonly<Record<string, string[]>> = {},
): Headers =>
  recordHeaders({
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'self'", ...formTargets],
        'frame-ancestors': ["'none'"],
        // The icon.
        'img-src': ["'self'"],
        'style-src': ["'self'"],
        ...more,
      },
    },
    // Apps open the pages in a window of their own, and that window must find its opener at the end.
    crossOriginOpenerPolicy: { policy: 'unsafe-none' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });

const ORDINARY = pageHeaders();

export function setPageHeaders(reply: FastifyReply): void {
  reply.headers(ORDINARY);
}
