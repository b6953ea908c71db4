/**
 * The OpenID provider as this process knows it. Its metadata is read when it is first needed, and again from time to
 * time. A provider that is down holds up neither the start nor other ways to sign in.
 */
import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as joseFetch } from 'jose';
import * as openid from 'openid-client';
import type { OidcSettings } from '../../config/sections/oidc-section.ts';
import { describeError, type Log } from '../../core/log.ts';
import { type BoundedFetchOptions, createBoundedFetch, PROVIDER_LIMITS } from './provider-fetch.ts';

/** How long the metadata counts. After that it is read anew, and the old one counts until there is a new one. */
const FRESH_MS = 60 * 60 * 1000;
/** How long nobody asks a provider again that did not answer. */
const PAUSE_MS = 5_000;

const AWAY =
  'Check that oidc.issuer is right, and that this machine reaches it. People can sign in in other ways, or through the link that "admin person sign-in-link" makes.';

/** What is known of a provider that can be reached. */
export interface Found {
  readonly config: openid.Configuration;
  /** As the metadata and its tokens have it. */
  readonly issuer: string;
  /** The keys of its signatures. */
  readonly keys: JWTVerifyGetKey;
}

export interface Provider {
  readonly settings: OidcSettings;
  /** @returns undefined if the provider cannot be reached */
  find(): Promise<Found | undefined>;
  /** Whether the latest try to reach it failed. */
  isAway(): boolean;
}

export interface ProviderOptions extends Omit<BoundedFetchOptions, 'issuer'> {
  readonly settings: OidcSettings;
  readonly log: Log;
  readonly now?: () => number;
}

export function createProvider(options: ProviderOptions): Provider {
  const { settings, log, fetch, requestMs = PROVIDER_LIMITS.requestMs, now = Date.now } = options;
  const issuer = new URL(settings.issuer);
  const bounded = createBoundedFetch({ issuer, ...(fetch && { fetch }), requestMs });
  let found: Found | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Found | undefined> | undefined;

  async function read(): Promise<Found | undefined> {
    try {
      found = await discover(settings, issuer, bounded, requestMs);
      readAt = now();
      failedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      failedAt = now();
      log('warn', 'provider not reached', { ...describeProviderError(error), advice: AWAY });
    }
    return found;
  }

  /** Everybody who asks meanwhile waits for the same request. */
  const readOnce = () =>
    (reading ??= read().finally(() => {
      reading = undefined;
    }));

  return {
    settings,
    async find() {
      if (found && now() - readAt < FRESH_MS) return found;
      if (now() - failedAt < PAUSE_MS) return found;
      const latest = readOnce();
      return found ?? latest;
    },
    isAway: () => found === undefined && failedAt !== Number.NEGATIVE_INFINITY,
  };
}

async function discover(
  settings: OidcSettings,
  issuer: URL,
  bounded: ReturnType<typeof createBoundedFetch>,
  requestMs: number,
): Promise<Found> {
  const { clientId, clientSecret } = settings;
  const config = await openid.discovery(issuer, clientId, undefined, authenticateBy(clientSecret), {
    [openid.customFetch]: (url, init) => bounded(url, init as RequestInit),
    timeout: requestMs / 1000,
    // Otherwise, TLS alone would vouch for the ID token.
    execute: [
      openid.enableNonRepudiationChecks,
      // `bounded` decides which URLs need TLS.
      ...(issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
    ],
  });
  const metadata = config.serverMetadata();
  // The library excuses some providers whose metadata has another issuer, such as one for all tenants of a company.
  // Everybody who has a tenant there could vouch for any address.
  if (withoutSlash(metadata.issuer) !== withoutSlash(settings.issuer)) throw new RangeError('another issuer');
  if (!metadata.jwks_uri || !metadata.authorization_endpoint || !metadata.token_endpoint)
    throw new RangeError('metadata without an endpoint');
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    [joseFetch]: (url, init) => bounded(url, init as RequestInit),
    timeoutDuration: requestMs,
  });
  return { config, issuer: metadata.issuer, keys };
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** By the method that the provider takes. Without a list, it is Basic (OpenID Connect Discovery 1.0, section 3). */
function authenticateBy(secret: string | undefined): openid.ClientAuth {
  if (secret === undefined) return openid.None();
  const basic = openid.ClientSecretBasic(secret);
  const post = openid.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const method = methods.includes('client_secret_basic') ? basic : post;
    return method(server, client, body, headers);
  };
}

/** What an error of the library tells the operator: which check failed. Never a text of the provider. */
export function describeProviderError(error: unknown): Readonly<Record<string, string>> {
  const claims = [error, cause(error), cause(cause(error))].map(
    (each) => (Object(each) as { claim?: unknown }).claim,
  );
  const claim = claims.find((each) => typeof each === 'string' && /^\w{1,20}$/.test(each));
  const { code } = Object(error) as { code?: unknown };
  return {
    ...describeError(error),
    ...(typeof code === 'string' && /^\w{1,60}$/.test(code) && { error: code }),
    ...(typeof claim === 'string' && { claim }),
  };
}

const cause = (error: unknown): unknown => (Object(error) as { cause?: unknown }).cause;
