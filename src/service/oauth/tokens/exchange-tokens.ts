/** The three grants of `/oauth/token`: checks each, and issues its tokens (interface, section 4.7). */
import { digestOf } from '../../../shared/sha256.ts';
import type { Deps } from '../../deps/deps.ts';
import type { App } from '../apps/app-store.ts';
import { challengeOf } from '../authorization/code-challenge.ts';
import { notePoll, ownerOfDevice } from '../device/device-store.ts';
import type { GrantType, TokenParameters } from '../grant-types.ts';
import { OAuthFailure } from '../oauth-errors.ts';
import { checkScope, requireValue } from '../oauth-parameters.ts';
import type { TokenResponse } from '../oauth-schema.ts';
import { handleOf, makePair, type TokenPair } from './token-secrets.ts';
import {
  exchangeCode,
  exchangeDevice,
  type Issued,
  ownerOfCode,
  revokeFamily,
  revokeFamilyOfCode,
  rotate,
} from './token-store.ts';

export interface Exchange extends Pick<Deps, 'db' | 'settings' | 'untilUnlocked'> {
  readonly app: App;
  readonly parameters: TokenParameters;
}

/** @throws {OAuthFailure} for an invalid grant */
export const EXCHANGES: Readonly<Record<GrantType, (exchange: Exchange) => Promise<TokenResponse>>> = {
  authorization_code: exchangeAuthorizationCode,
  refresh_token: exchangeRefreshToken,
  'urn:ietf:params:oauth:grant-type:device_code': exchangeDeviceCode,
};

async function exchangeAuthorizationCode(exchange: Exchange): Promise<TokenResponse> {
  const { db, app, parameters } = exchange;
  if (app.redirect_uris.length === 0) throw new OAuthFailure('unauthorized_client');
  const { code_verifier: verifier } = parameters;
  const code = {
    digest: digestOf(requireValue(parameters, 'code')),
    client_id: app.client_id,
    redirect_uri: requireValue(parameters, 'redirect_uri'),
    // A verifier without a challenge is also refused, because an attacker may have removed the challenge (RFC 9700,
    // 4.8.2).
    challenge: verifier === undefined ? null : challengeOf(verifier),
  };
  const { pair, digests, seconds } = newPair(exchange);
  await untilOwnerUnlocked(exchange, await ownerOfCode(db, code.digest));
  const issued = await exchangeCode(db, code, { digests, seconds });
  if (issued) return respond(pair, issued, seconds);
  // A reused code means that it was stolen (RFC 6749, section 4.1.2).
  await revokeFamilyOfCode(db, code.digest, app.client_id);
  throw new OAuthFailure('invalid_grant');
}

async function exchangeRefreshToken(exchange: Exchange): Promise<TokenResponse> {
  const { db, app, parameters } = exchange;
  const former = requireValue(parameters, 'refresh_token');
  checkScope(parameters.scope);
  const handle = handleOf(former);
  if (handle === undefined) throw new OAuthFailure('invalid_grant');
  const { pair, digests, seconds } = newPair(exchange, handle);
  const clientId = app.client_id;
  const issued = await rotate(db, { refreshToken: digestOf(former), clientId }, { digests, seconds });
  if (issued) return respond(pair, issued, seconds);
  // An old refresh token of the family was reused, so it was stolen (RFC 9700, section 4.14.2).
  await revokeFamily(db, digests.handle, clientId);
  throw new OAuthFailure('invalid_grant');
}

async function exchangeDeviceCode(exchange: Exchange): Promise<TokenResponse> {
  const { db, app, parameters } = exchange;
  if (!app.allows_device) throw new OAuthFailure('unauthorized_client');
  const deviceCode = digestOf(requireValue(parameters, 'device_code'));
  const { pair, digests, seconds } = newPair(exchange);
  const clientId = app.client_id;
  await untilOwnerUnlocked(exchange, await ownerOfDevice(db, deviceCode));
  const issued = await exchangeDevice(db, { deviceCode, clientId }, { digests, seconds });
  if (issued) return respond(pair, issued, seconds);
  throw new OAuthFailure((await notePoll(db, deviceCode, clientId)) ?? 'invalid_grant');
}

/** The exchange would wait for a locked account, and hold a connection meanwhile. */
async function untilOwnerUnlocked({ untilUnlocked }: Exchange, accountId: string | null | undefined) {
  if (accountId) await untilUnlocked(accountId);
}

function newPair({ settings }: Exchange, handle?: string) {
  const pair = makePair(handle);
  return { pair, digests: pair.digests, seconds: settings.durations.accessToken };
}

function respond(pair: TokenPair, { created_at }: Issued, seconds: number): TokenResponse {
  return {
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    token_type: 'Bearer',
    expires_in: seconds,
    scope: 'all',
    created_at,
  };
}
