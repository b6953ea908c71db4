/** Prepares the routes of pages: cookies, headers, and error pages. */
import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { databaseFailure } from '../database/database-failure.ts';
import type { Deps } from '../deps/deps.ts';
import type { HandleErrors } from '../http/failure-answers.ts';
import { failurePage } from '../pages/error-page.ts';
import { refuseOtherSites } from '../pages/form-sender.ts';
import { setPageHeaders } from '../pages/page-headers.ts';
import type { Site } from '../pages/page-urls.ts';
import { requireFactors } from './factors/require-factor.ts';
import { recogniseBrowsers } from './sessions/browser.ts';

/** Prepares a separate scope. Add the routes of the pages to it afterwards. */
export async function preparePageScope(
  app: FastifyInstance,
  deps: Pick<Deps, 'db' | 'isReady' | 'settings' | 'trouble'>,
  site: Site,
  handleErrors: HandleErrors,
): Promise<void> {
  const { isReady, trouble } = deps;
  app.setErrorHandler(handleErrors(failurePage(site)));
  app.addHook('onRequest', (_request, reply, done) => {
    setPageHeaders(reply);
    if (!isReady()) throw databaseFailure(trouble());
    done();
  });
  refuseOtherSites(app, site);
  await app.register(cookie);
  recogniseBrowsers(app, site, deps);
  requireFactors(app, deps, site);
}
