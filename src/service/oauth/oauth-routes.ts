/** The OAuth endpoints for apps: token, device code, revoke, and the metadata. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import type { Deps } from '../deps/deps.ts';
import { clientIp } from '../http/client-ip.ts';
import { bodyParameters } from '../http/parameters.ts';
import type { NetworkRule } from '../limits/network-limit.ts';
import { createStoredNetworkLimit } from '../limits/stored-network-limit.ts';
import { type App, findApp } from './apps/app-store.ts';
import { authenticate, readClaim } from './apps/authenticate-app.ts';
import { DEVICE_GRANT, isGrantType, TOKEN_PARAMETERS } from './grant-types.ts';
import { answerPreflight, hideFromPages, PAGE_ENDPOINTS } from './oauth-cors.ts';
import { documentDeviceCode, documentRevoke, documentToken } from './oauth-documentation.ts';
import { OAuthFailure, oauthFailureBody } from './oauth-errors.ts';
import { metadataOf } from './oauth-metadata.ts';
import { checkScope, readValues, requireValue } from './oauth-parameters.ts';
import { DeviceCodeSchema, TokenSchema } from './oauth-schema.ts';
import { requestDevice, revokeToken } from './oauth-server.ts';
import { EXCHANGES } from './tokens/exchange-tokens.ts';

export interface OAuthRouteOptions {
  readonly deps: Pick<Deps, 'db' | 'settings' | 'untilUnlocked'>;
  /** The base of the URLs, without a slash at the end. */
  readonly issuer: () => string;
}

/**
 * How many device requests a network may start. They need no account, and each is kept for more than an hour, so a flood
 * could fill the database. Real use stays far below.
 */
const DEVICES: NetworkRule = { name: 'device codes', most: 50, seconds: 1 };

const CLIENT_PARAMETERS = ['client_id', 'client_secret'] as const;
const CONFIG = { failureBody: oauthFailureBody };

export const oauthRoute: FastifyPluginAsyncTypebox<OAuthRouteOptions> = async (app, { deps, issuer }) => {
  const { db } = deps;

  /** Authenticates the app of a request. Pages cannot read responses for apps with a secret. */
  function appOf(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    body: Parameters<typeof readClaim>[1],
    secretIsOptional = false,
  ): Promise<App> {
    const onFound = (found: App) => hideFromPages(reply, found);
    const claim = readClaim(headers.authorization, body);
    return authenticate(claim, (id) => findApp(db, id), { secretIsOptional, onFound });
  }

  const limit = createStoredNetworkLimit(db, DEVICES);
  async function countDevice(request: FastifyRequest): Promise<void> {
    const seconds = await limit.count(clientIp(request));
    if (seconds > 0) throw new Failure('tooManyRequests', undefined, { 'Retry-After': String(seconds) });
  }

  for (const path of PAGE_ENDPOINTS) app.options(path, { config: CONFIG }, answerPreflight);

  app.post(
    '/oauth/token',
    { config: { ...CONFIG, swaggerTransform: documentToken }, schema: { response: { 200: TokenSchema } } },
    async function token(request, reply) {
      const parameters = readValues(await bodyParameters(request), TOKEN_PARAMETERS);
      const grantType = requireValue(parameters, 'grant_type');
      if (!isGrantType(grantType)) throw new OAuthFailure('unsupported_grant_type');
      const found = await appOf(request, reply, parameters, grantType === DEVICE_GRANT);
      const tokens = await EXCHANGES[grantType]({ ...deps, app: found, parameters });
      // RFC 6749, section 5.1. Every response has `Cache-Control: no-store`.
      reply.header('Pragma', 'no-cache');
      return tokens;
    },
  );

  app.post(
    '/oauth/device/code',
    {
      config: { ...CONFIG, swaggerTransform: documentDeviceCode },
      schema: { response: { 200: DeviceCodeSchema } },
    },
    async function deviceCode(request, reply) {
      const parameters = readValues(await bodyParameters(request), [...CLIENT_PARAMETERS, 'scope']);
      const found = await appOf(request, reply, parameters, true);
      checkScope(parameters.scope);
      await countDevice(request);
      const codes = await requestDevice(deps, found);
      const page = `${issuer()}/oauth/device`;
      return {
        device_code: codes.deviceCode,
        user_code: codes.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${codes.userCode}`,
        expires_in: codes.expiresIn,
        interval: codes.interval,
      };
    },
  );

  app.post(
    '/oauth/revoke',
    { config: { ...CONFIG, swaggerTransform: documentRevoke } },
    async function revoke(request, reply) {
      const parameters = readValues(await bodyParameters(request), [...CLIENT_PARAMETERS, 'token']);
      const found = await appOf(request, reply, parameters);
      await revokeToken(db, found, requireValue(parameters, 'token'));
      // The same response for unknown tokens, and for those of other apps, which stay valid (RFC 7009, section 2.2).
      return {};
    },
  );
};

/** The metadata. Its URL is outside of `/oauth`, and pages cannot read it. */
export const metadataRoute: FastifyPluginAsyncTypebox<
  Pick<OAuthRouteOptions, 'issuer'> & { readonly hasDocs: boolean }
> = async (app, { issuer, hasDocs }) => {
  app.get('/.well-known/oauth-authorization-server', async () => metadataOf(issuer(), hasDocs));
};
