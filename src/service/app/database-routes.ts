/** The routes of a service with a database. A service without one loads neither these nor the database driver. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Verifier } from '../../engine/verifier.ts';
import { accountRoute } from '../account/account-route.ts';
import { batchRoute } from '../batch/batch-route.ts';
import { downloadRoute } from '../batch/download/download-route.ts';
import { addDashboard } from '../dashboard/dashboard.ts';
import { serveAssets } from '../dashboard/dashboard-assets.ts';
import { lowBanner } from '../dashboard/low-banner.ts';
import { newsNotice } from '../dashboard/security/changes-section.ts';
import { takeTurns } from '../dashboard/visit.ts';
import type { HandleErrors } from '../http/failure-answers.ts';
import { metadataRoute, oauthRoute } from '../oauth/oauth-routes.ts';
import { authorizePage } from '../oauth/pages/authorize-page.ts';
import { devicePage } from '../oauth/pages/device-page.ts';
import { serveStyle } from '../pages/page-style.ts';
import type { Site } from '../pages/page-urls.ts';
import { canHavePasskeys } from '../people/factors/passkeys.ts';
import { secondStepRoute } from '../people/factors/second-step-route.ts';
import { invitationRoute } from '../people/members/invitation-route.ts';
import { membershipsOf } from '../people/members/member-store.ts';
import { preparePageScope } from '../people/page-scope.ts';
import { confirmAtProvider } from '../people/provider/confirm-by-provider.ts';
import { logoutRoute } from '../people/provider/logout-route.ts';
import { providerRoute } from '../people/provider/provider-route.ts';
import { signInLinkRoute } from '../people/sign-in/sign-in-link-route.ts';
import { signInRoute } from '../people/sign-in/sign-in-route.ts';
import type { RouteDeps } from './open-deps.ts';

/** Adds the routes of the API to a scope with guarded routes. */
export function addApiRoutes(app: FastifyInstance, deps: RouteDeps): void {
  app.register(accountRoute, { deps });
  app.register(batchRoute, { deps });
}

/** Adds the downloads of batches to a scope of their own. */
export function addDownloads(app: FastifyInstance, deps: RouteDeps, longestMs: number): void {
  app.register(downloadRoute, { deps, longestMs });
}

interface PagesOptions {
  readonly site: Site;
  readonly handleErrors: HandleErrors;
  readonly downloadMs: number;
  readonly dashboardScript: string | undefined;
  readonly hasDocs: boolean;
  readonly verifySample: Verifier;
}

/** Adds the OAuth server, and the pages for people: sign-in, the dashboard, and consent to apps. */
export function addPages(app: FastifyInstance, deps: RouteDeps, options: PagesOptions): void {
  const { site, handleErrors, downloadMs, dashboardScript, hasDocs, verifySample } = options;
  const issuer = deps.publicUrl.now;
  app.register(oauthRoute, { deps, issuer });
  app.register(metadataRoute, { issuer, hasDocs });
  const { provider } = deps;
  if (provider) app.register(logoutRoute, { deps, provider });
  serveStyle(app);
  const head = serveAssets(app, dashboardScript)(site);
  app.register(async (scope) => {
    await preparePageScope(scope, deps, site, handleErrors);
    scope.decorate('signInWays', {
      ...{ script: head, hasPasskeys: canHavePasskeys(deps) },
      ...(provider && { confirmAtProvider: confirmAtProvider(site, provider.settings.name) }),
    });
    scope.register(signInRoute, { site, deps });
    if (provider) scope.register(providerRoute, { site, deps, provider });
    scope.register(secondStepRoute, { site, deps });
    scope.register(signInLinkRoute, { site, deps });
    scope.register(invitationRoute, { site, deps });
    scope.register(authorizePage, { site, deps, issuer });
    scope.register(devicePage, { site, deps });
    const playground = site.has('demo');
    const tellLow = (accountId: string) => lowBanner(deps, site, accountId);
    const tellNews = (request: FastifyRequest) => newsNotice(deps, site, request);
    const accountsOf = (personId: string) => membershipsOf(deps.db, personId);
    const { untilUnlocked } = deps;
    const dashboard = {
      ...{ app: scope, turns: takeTurns(scope), site, head, playground, verifySample, downloadMs },
      ...{ tellLow, tellNews, accountsOf, untilUnlocked, members: deps.settings.members },
    };
    addDashboard(dashboard, deps);
  });
}
