/** All routes in one app. Its dependencies are passed in, so tests need no port. */

import type { Server } from 'node:http';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { createFacts } from '../../engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import type { Verified, Verifier } from '../../engine/verifier.ts';
import { createSampleVerifier } from '../../sample/sample-verifier.ts';
import { guardRoutes, identifyCallers } from '../access/access.ts';
import { countRequest } from '../access/count-request.ts';
import { createCountRate } from '../access/request-rate.ts';
import { declareRequestState } from '../access/request-state.ts';
import type { KeyEntry } from '../config/sections/keys-section.ts';
import { MAX_BODY_BYTES, MAX_HEAD_BYTES, TIMEOUTS, type Timeouts } from '../core/bounds.ts';
import { Failure } from '../core/failures.ts';
import { type Log, silentLog } from '../core/log.ts';
import { createPublicUrl } from '../core/public-url.ts';
import { databaseFailure, failureOfDatabase } from '../database/database-failure.ts';
import { trustOwnAddresses } from '../demo/own-addresses.ts';
import { simulateRoutes } from '../demo/simulate-routes.ts';
import type { Settings } from '../deps/deps.ts';
import { type DocsBuild, serveDocs } from '../docs/docs-site.ts';
import { serveFolder } from '../files/serve-folder.ts';
import { serveWidget, type WidgetFile, type WidgetReleases } from '../files/widget-files.ts';
import { isApi, setCommonHeaders } from '../http/answer-headers.ts';
import { readBodies } from '../http/body-types.ts';
import { clientIp } from '../http/client-ip.ts';
import { answerFailures, answerFrameworkError, sendFailure } from '../http/failure-answers.ts';
import { isEnding } from '../http/gentle-close.ts';
import { sendInOnePiece } from '../http/one-piece.ts';
import { limitPipelined } from '../http/pipelined.ts';
import { createFaultFinder } from '../http/schema-fault.ts';
import { PAGE_HEADERS, REFERENCE_HEADERS } from '../http/security-headers.ts';
import { limitBodyTime } from '../http/slow-bodies.ts';
import {
  answerUnreadable,
  answerUnsupported,
  refuseUnclearEnd,
  refuseUnclearHead,
} from '../http/unreadable-requests.ts';
import { createConfigKeys } from '../keys/config-keys.ts';
import { joinKeys } from '../keys/key-ring.ts';
import { createNetworkLimit, UNKNOWN_KEYS } from '../limits/network-limit.ts';
import { createRateLimit } from '../limits/rate-limit.ts';
import { createUniquePerDayLimit } from '../limits/unique-per-day.ts';
import { letPagesRead } from '../oauth/oauth-cors.ts';
import { healthRoutes } from '../operations/health.ts';
import { whyDatabaseIsNotReady } from '../operations/readiness.ts';
import { untilMade } from '../pages/being-made.ts';
import { serveHouseStyle } from '../pages/house-style.ts';
import { putMastheadIn } from '../pages/masthead.ts';
import { sendFailureOrPage } from '../pages/missing-page.ts';
import { createSite } from '../pages/page-urls.ts';
import { isVouchedFor } from '../people/provider/vouched-domain.ts';
import { jwksRoute } from '../proof/jwks-route.ts';
import { makeKeyPair } from '../proof/key-pair.ts';
import { createLoneKey, type ProofKeys } from '../proof/proof-keys.ts';
import { createProofs } from '../proof/proofs.ts';
import { observed } from '../verify/observed-verifier.ts';
import { type VerifyRouteOptions, verifyRoute } from '../verify/verify-route.ts';
import type { RouteDeps } from './open-deps.ts';
import { databaseMissingPages } from './without-database/missing-pages.ts';
import { databaseMissingRoutes } from './without-database/missing-routes.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly keys: readonly KeyEntry[];
  /** The built widget, `widget.js` among them. @default nothing at `/v2/` */
  readonly widgetFiles?: readonly WidgetFile[] | undefined;
  /** The version of those files, for their versioned URL. @default none */
  readonly widgetVersion?: string | undefined;
  /** The released builds, by version. @default none */
  readonly widgetReleases?: WidgetReleases | undefined;
  /** Whether the demo's rules hold: messages name the page's origin, and pages can simulate failures. @default false */
  readonly isDemo?: boolean | undefined;
  /** The machine's own IP addresses, where the demo's keys work as well. @default the keys work on loopback only */
  readonly demoAddresses?: (() => readonly string[]) | undefined;
  /** The folder of the pages at `/`. @default no pages */
  readonly demoFolder?: string | undefined;
  /** The pages of `/docs/`. @default nothing there */
  readonly docs?: DocsBuild | undefined;
  /** The folder of the module's reference. @default nothing at `/reference/` */
  readonly referenceFolder?: string | undefined;
  /** Settles when that folder has the reference, or never will. @default it has */
  readonly referenceMade?: Promise<void> | undefined;
  /** The built script of the dashboard. @default the dashboard works without */
  readonly dashboardScript?: string | undefined;
  /** The folder of what the pages load and others have made, at `/libraries/`. @default nothing there */
  readonly demoLibraries?: string | undefined;
  /** What the routes of a service with a database share. @default none: the service has no database */
  readonly deps?: RouteDeps | undefined;
  /** The keys that sign proofs in a service without a database. @default one that ends with the process */
  readonly proofKeys?: ProofKeys | undefined;
  /** Whether there is no route but `/healthz` and `/readyz`, as in a process that only works. @default false */
  readonly isHealthOnly?: boolean | undefined;
  /** Why the process cannot do its work. @default by whether the database is ready */
  readonly whyNotReady?: (() => string | undefined) | undefined;
  /** Called for each response. The route is a pattern, or `none` for an unknown URL. */
  readonly onAnswered?: ((method: string, route: string, status: number, ms: number) => void) | undefined;
  /** Called for each sample result of `/v1/verify`. */
  readonly onSample?: ((verified: Verified) => void) | undefined;
  /** The verifier for test keys. @default sample results */
  readonly sampleVerifier?: Verifier | undefined;
  /** Reaches the captcha providers. @default the platform's own */
  readonly fetch?: typeof fetch | undefined;
  /** How long to wait for clients. @default `TIMEOUTS` */
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly log?: Log | undefined;
}

export function createService(options: ServiceOptions): FastifyInstance {
  const { settings, deps, isDemo = false, isHealthOnly = false, onAnswered, onSample } = options;
  const { widgetFiles, widgetReleases, widgetVersion, log = silentLog } = options;
  // Destructured here, so that later code does not keep the options in memory, because they contain the keys.
  const { demoFolder, demoLibraries, docs, referenceFolder, referenceMade } = options;
  const { whyNotReady: whyProcessIsNotReady } = options;
  const { limits, publicUrl } = settings;
  const ownUrl = deps?.publicUrl ?? createPublicUrl(publicUrl, settings.host);
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const http: FastifyHttpOptions<Server> = {
    // Loading the rooms takes as long as the machine needs. Fastify's default of 10 seconds ends the start of a busy one.
    pluginTimeout: 0,
    bodyLimit: MAX_BODY_BYTES,
    // For the longest request. `limitBodyTime` limits the others.
    requestTimeout: Math.max(timeouts.request, timeouts.upload),
    keepAliveTimeout: timeouts.idle,
    connectionTimeout: timeouts.stalled,
    // A request target may contain the server, as in requests to a proxy (RFC 9112, section 3.2.2).
    rewriteUrl: ({ url = '' }) => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/'),
    // `readQuery` parses the query by the URL standard.
    routerOptions: { querystringParser: () => ({}) },
    // One hop: the last entry of X-Forwarded-For is the IP address that the proxy itself has seen.
    trustProxy: settings.trustProxy ? (_address, hop) => hop === 0 : false,
    // While stopping, the service still answers requests on open connections.
    return503OnClosing: false,
    http: {
      // Node's own refusal of a request without a host has no body. `refuseUnclearHead` has ours.
      requireHostHeader: false,
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: timeouts.head,
      // How late a timeout may be noticed. With the default of 30 seconds, a timeout of 10 could take 40.
      connectionsCheckingInterval: Math.min(timeouts.head, 1000),
    },
    frameworkErrors: (error, request, reply) => answerFrameworkError(error, request, reply),
    clientErrorHandler: answerUnreadable(timeouts.linger, log),
  };
  const app = fastify(http);
  app.server.on('connection', sendInOnePiece);
  limitPipelined(app.server);
  answerUnsupported(app.server, timeouts.linger);
  // A client that has sent its request may close its side, and still gets the response.
  (app.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  app.setValidatorCompiler(({ schema }) => {
    const find = createFaultFinder(schema as TSchema, 'the request');
    return (value) => {
      const fault = find(value);
      return fault === undefined ? { value } : { error: new Failure('badRequest', fault) };
    };
  });

  declareRequestState(app);
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  const whyNotReady = () => {
    if (isStopping) return 'The service is stopping.';
    if (whyProcessIsNotReady) return whyProcessIsNotReady();
    return deps?.isReady() === false ? whyDatabaseIsNotReady(deps.trouble()) : undefined;
  };
  const keys = joinKeys(createConfigKeys(options.keys), deps?.keys);
  const ring = options.demoAddresses ? trustOwnAddresses(keys, options.demoAddresses) : keys;
  // Hooks that do not wait use callbacks. A promise would cost every request a turn of the event loop.
  app.addHook('onRequest', (request, reply, done) => {
    if (isEnding(request.raw.socket)) {
      reply.hijack();
      return;
    }
    setCommonHeaders(request, reply);
    refuseUnclearEnd(request);
    done();
  });
  limitBodyTime(app, timeouts);
  letPagesRead(app);
  if (deps) refuseWhileAway(app, deps, isApi);
  identifyCallers(app, ring);
  app.addHook('onResponse', (request, reply, done) => {
    const { method, caller, admitted, refusal } = request;
    // The route's pattern, because URLs contain keys and email addresses.
    const route = request.routeOptions.url ?? 'none';
    const { elapsedTime } = reply;
    const durationMs = Math.round(elapsedTime);
    onAnswered?.(method, route, reply.statusCode, elapsedTime);
    const key = (admitted ?? caller?.key)?.id;
    if (deps && key !== undefined) {
      const { origin } = request.headers;
      countRequest(deps.usage, { key: caller?.key, admitted, refusal, origin, ip: () => clientIp(request) });
    }
    log('info', 'request', {
      method,
      route,
      status: reply.statusCode,
      durationMs,
      ...(key === undefined ? {} : { key }),
      ...(refusal === undefined ? {} : { reason: refusal }),
    });
    done();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    refuseUnclearHead(request);
    done();
  });
  const site = createSite(
    publicUrl,
    [
      ...(demoFolder === undefined ? [] : (['demo'] as const)),
      ...(docs === undefined ? [] : (['docs'] as const)),
      ...(referenceFolder === undefined ? [] : (['reference'] as const)),
      ...(deps === undefined ? [] : (['dashboard'] as const)),
    ],
    settings.support,
    deps?.provider && {
      ...{ name: deps.provider.settings.name, only: deps.provider.settings.only },
      vouchesFor: (email) => isVouchedFor(email, deps.provider!.settings.allowedDomains),
      isAway: () => {
        // It never rejects, and nobody waits for it here. The next visitor finds out more.
        void deps.provider?.find();
        return deps.provider?.isAway() ?? false;
      },
    },
  );
  const recognise = (error: unknown) => failureOfDatabase(error, log);
  const send = isHealthOnly ? sendFailure : sendFailureOrPage(site);
  const handleErrors = answerFailures(app, timeouts.linger, log, recognise, send);

  if (isHealthOnly) {
    app.register(healthRoutes, { whyNotReady });
    return app;
  }

  readBodies(app);
  const countRate = createCountRate(limits, deps?.rateLimit ?? createRateLimit());
  const uniquePerDay = createUniquePerDayLimit(limits.uniquePerDay);
  const sampleVerifier = options.sampleVerifier ?? createSampleVerifier(createFacts(loadPublishedLists()));
  const proofKeys = deps?.proofKeys ?? options.proofKeys ?? createLoneKey(makeKeyPair);
  const { proof: seconds } = settings.durations;
  const unknownKeys = deps?.unknownKeys ?? createNetworkLimit(UNKNOWN_KEYS);
  const servesPages = demoFolder !== undefined;
  const access = { ring, countRate, unknownKeys, servesPages, namesOrigins: isDemo };
  const verify: VerifyRouteOptions = {
    ...{ ring, countRate, settings, deps, servesPages },
    // The database has only its own keys.
    uniquePerDay: ({ account }) => (account && deps?.uniquePerDay) || uniquePerDay,
    captcha: { fetch: options.fetch ?? fetch, log },
    proofs: createProofs({ keys: proofKeys, publicUrl: ownUrl, seconds, log }),
    ...{ sampleVerifier, onSample },
  };
  app.addHook('onListen', async () => {
    const address = app.server.address();
    if (address !== null && typeof address === 'object') ownUrl.listensOn(address);
  });
  app.register(async (scope) => {
    guardRoutes(scope, access);
    scope.register(verifyRoute, verify);
    if (deps) (await loadRoutes()).addApiRoutes(scope, deps);
    else scope.register(databaseMissingRoutes);
    if (isDemo) scope.register(simulateRoutes, verify);
  });
  if (deps) {
    app.register(async (scope) => {
      refuseWhileAway(scope, deps, () => true);
      (await loadRoutes()).addDownloads(scope, deps, timeouts.download);
    });
    const { dashboardScript } = options;
    const verifySample = onSample ? observed(sampleVerifier, onSample) : sampleVerifier;
    const pages = { site, handleErrors, verifySample, dashboardScript, hasDocs: docs !== undefined };
    app.register(async (scope) =>
      (await loadRoutes()).addPages(scope, deps, { ...pages, downloadMs: timeouts.download }),
    );
  } else app.register(databaseMissingPages, { site });
  app.register(jwksRoute, { keys: proofKeys });
  app.register(healthRoutes, { whyNotReady });
  if (widgetFiles) serveWidget(app, widgetFiles, widgetReleases, widgetVersion);
  serveHouseStyle(app);
  if (docs) serveDocs(app, { docs, site, publicUrl, isDemo });
  if (referenceFolder !== undefined) {
    const finish = putMastheadIn(site, '/reference', 'colours');
    app.register(async (scope) => {
      untilMade(scope, site, referenceMade);
      serveFolder(scope, '/reference', referenceFolder, REFERENCE_HEADERS, finish);
    });
  }
  if (demoLibraries !== undefined) serveFolder(app, '/libraries', demoLibraries, PAGE_HEADERS);
  if (demoFolder !== undefined) {
    if (isDemo) {
      const folder = join(demoFolder, 'proof/browser');
      app.register(async (scope) => {
        const { browserProofRoutes, BROWSER_PROOF_PATH } = await import('../demo/browser-proof-routes.ts');
        const finish = putMastheadIn(site, BROWSER_PROOF_PATH, 'everything');
        scope.register(browserProofRoutes, { folder, finish });
      });
    }
    serveFolder(app, '', demoFolder, PAGE_HEADERS, putMastheadIn(site, '', 'everything'));
  }
  return app;
}

/** A service without a database does not load them, so it starts faster. */
const loadRoutes = () => import('./database-routes.ts');

/** Refuses requests while the database is known to be unreachable. */
function refuseWhileAway(
  app: FastifyInstance,
  { isReady, trouble }: Pick<RouteDeps, 'isReady' | 'trouble'>,
  needsDatabase: (request: FastifyRequest) => boolean,
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (needsDatabase(request) && !isReady()) throw databaseFailure(trouble());
    done();
  });
}
