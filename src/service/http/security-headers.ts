/**
 * The security headers: helmet's, adapted to this service. They are plain tables, because some responses are written
 * without the framework.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

export type Headers = Readonly<Record<string, string>>;
/** Of the content security policy. */
export type Directives = Readonly<Record<string, string[]>>;
type Others = Pick<
  HelmetOptions,
  'crossOriginOpenerPolicy' | 'crossOriginResourcePolicy' | 'referrerPolicy'
> & {
  readonly xFrameOptions: { readonly action: 'deny' | 'sameorigin' };
};

/** For data and scripts. Any page may load them, but pages must not frame or open them. */
export const DATA_HEADERS = recordHeaders(
  { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
  {
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  },
);

/** For the service's own pages. They load only their own files, and the demo's pages may frame each other. */
export const PAGE_HEADERS = pageHeaders({});

/** For the reference, whose style sheet has inline pictures, and whose script adds an empty style sheet. */
export const REFERENCE_HEADERS = pageHeaders({
  'img-src': ["'self'", 'data:'],
  'style-src': ["'self'", `'sha256-${createHash('sha256').digest('base64')}'`],
});

/** @param more directives that a page needs besides */
export function pageHeaders(more: Directives): Headers {
  return recordHeaders(
    {
      'default-src': ["'none'"],
      'base-uri': ["'none'"],
      'connect-src': ["'self'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'self'"],
      'frame-src': ["'self'"],
      'img-src': ["'self'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      ...more,
    },
    {
      crossOriginResourcePolicy: { policy: 'same-origin' },
      // With `no-referrer`, some browsers would send `Origin: null` with a POST to the page's own origin.
      referrerPolicy: { policy: 'same-origin' },
      xFrameOptions: { action: 'sameorigin' },
    },
  );
}

/**
 * For requests over TLS, by a proxy's headers. Over plain HTTP, browsers ignore it. Subdomains are not included,
 * because they may not be ours.
 */
export const TLS_HEADERS = record(helmet.strictTransportSecurity({ includeSubDomains: false }));

/** The headers that helmet sets for a content security policy and other options. Those of TLS are `TLS_HEADERS`. */
export function recordHeaders(directives: Directives, options: Others): Headers {
  const contentSecurityPolicy = { useDefaults: false, directives };
  return record(helmet({ strictTransportSecurity: false, contentSecurityPolicy, ...options }));
}

/** Helmet writes to responses only, so it gets an object that records the headers. */
function record(
  middleware: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void,
): Headers {
  const headers: Record<string, string> = {};
  const recorder = {
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    removeHeader: () => {},
  };
  middleware({} as IncomingMessage, recorder as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}
