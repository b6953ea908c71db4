/**
 * What browsers are told not to do with an answer: helmet's headers, fitted to what is served here. As plain tables,
 * since answers are also written where no framework reaches.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

export type Headers = Readonly<Record<string, string>>;

/** Of everything that is data or a script: any page may load it, none has reason to show it or to lean on it. */
export const DATA_HEADERS = record(
  helmet({
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  }),
);

/** Of the service's own pages: whatever they need is their own, and the demo's show themselves in frames. */
export const PAGE_HEADERS = pageHeaders({});

/** Of the reference, whose style sheet brings its smallest pictures along, and whose script adds a sheet with nothing in it. */
export const REFERENCE_HEADERS = pageHeaders({
  'img-src': ["'self'", 'data:'],
  'style-src': ["'self'", `'sha256-${createHash('sha256').digest('base64')}'`],
});

function pageHeaders(more: Readonly<Record<string, string[]>>): Headers {
  return record(
    helmet({
      strictTransportSecurity: false,
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
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
      },
      crossOriginResourcePolicy: { policy: 'same-origin' },
      // Not `no-referrer`, which would have some browsers send `Origin: null` with a POST to the page's own origin.
      referrerPolicy: { policy: 'same-origin' },
      xFrameOptions: { action: 'sameorigin' },
    }),
  );
}

/**
 * For requests that came over TLS, as a proxy in front tells; said over plain HTTP it means nothing. Without the
 * subdomains, which need not be ours.
 */
export const TLS_HEADERS = record(helmet.strictTransportSecurity({ includeSubDomains: false }));

/** The headers that helmet sets for these options. */
export const recordHeaders = (options: Parameters<typeof helmet>[0]): Headers => record(helmet(options));

/** Helmet speaks to responses only, so it is given one that writes down what it hears. */
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
