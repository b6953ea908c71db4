/** What stands in for pages that a start from the sources still makes. It becomes the page itself, without a script. */
import type { FastifyInstance } from 'fastify';
import { sendErrorPage } from './error-page.ts';
import { setPageHeaders } from './page-headers.ts';
import type { Site } from './page-urls.ts';

/** Until the page loads again. */
const PAUSE_S = 2;

/**
 * Answers all requests of a scope until its pages are there.
 *
 * @param made settles when the pages are there, or cannot be made. @default they are there
 */
export function untilMade(scope: FastifyInstance, site: Site, made: Promise<void> | undefined): void {
  if (!made) return;
  let state: 'being made' | 'made' | 'failed' = 'being made';
  made.then(
    () => {
      state = 'made';
    },
    () => {
      state = 'failed';
    },
  );
  scope.addHook('onRequest', (_request, reply, done) => {
    if (state === 'made') return done();
    setPageHeaders(reply);
    const page =
      state === 'failed'
        ? {
            title: 'This page could not be made',
            message:
              'The build of this page has failed. The log of the service says why. Correct the cause, and start the service again.',
          }
        : {
            title: 'This page is being made',
            message:
              'The service has just started, and is still building this page. That takes less than a minute. The page shows itself as soon as it is there.',
            loadsAgainAfterS: PAUSE_S,
          };
    sendErrorPage(reply, site, { status: 503, ...page });
  });
}
