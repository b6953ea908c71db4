/** The database side of the OAuth endpoints. It does not know HTTP. */

import { digestOf } from '../../shared/sha256.ts';
import type { Durations } from '../config/sections/durations-section.ts';
import type { Db } from '../database/schema.ts';
import { type App, findApp } from './apps/app-store.ts';
import { createGrants } from './create-grants.ts';
import { insertDeviceRequest } from './device/device-store.ts';
import { makeUserCode, showUserCode } from './device/user-code.ts';
import type { GrantType, TokenParameters } from './grant-types.ts';
import type { Grants } from './grants.ts';
import { OAuthFailure } from './oauth-errors.ts';
import type { TokenResponse } from './oauth-schema.ts';
import { EXCHANGES } from './tokens/exchange-tokens.ts';
import { handleOf, makeSecret } from './tokens/token-secrets.ts';
import { revokeByAccessToken, revokeFamily } from './tokens/token-store.ts';

/** The codes for a device. The route adds the URLs. */
export interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

export interface OAuthServer {
  /** The functions for the pages. */
  readonly grants: Grants;
  findApp(clientId: string): Promise<App | undefined>;
  /** @throws {OAuthFailure} for an invalid grant */
  exchange(grantType: GrantType, app: App, parameters: TokenParameters): Promise<TokenResponse>;
  /** @throws {OAuthFailure} if the app may not use the device flow */
  requestDevice(app: App): Promise<DeviceCodes>;
  /** Revokes the grant of an access token or refresh token of this app. Ignores other tokens. */
  revoke(app: App, token: string): Promise<void>;
}

export interface OAuthServerOptions {
  readonly db: Db;
  readonly durations: Pick<Durations, 'authorizationCode' | 'accessToken' | 'deviceCode' | 'deviceInterval'>;
}

/**
 * The flows are our own SQL instead of `@node-oauth/oauth2-server`. That library checks and spends a grant in separate
 * calls, so two simultaneous requests both succeed. It also lacks the device flow and revocation.
 */
export function createOAuthServer({ db, durations }: OAuthServerOptions): OAuthServer {
  return {
    grants: createGrants({ db, durations }),
    findApp: (clientId) => findApp(db, clientId),
    exchange: (grantType, app, parameters) => EXCHANGES[grantType]({ db, durations, app, parameters }),
    requestDevice: (app) => requestDevice(db, durations, app),
    async revoke({ client_id }, token) {
      const handle = handleOf(token);
      if (handle === undefined) await revokeByAccessToken(db, digestOf(token), client_id);
      else await revokeFamily(db, digestOf(handle), client_id);
    },
  };
}

/** Ten user codes in a row cannot all be taken by chance. */
const TRIES = 10;

async function requestDevice(
  db: Db,
  { deviceCode: expiresIn, deviceInterval: interval }: OAuthServerOptions['durations'],
  { client_id: clientId, allows_device }: App,
): Promise<DeviceCodes> {
  for (let tries = 0; allows_device && tries < TRIES; tries += 1) {
    const [deviceCode, userCode] = [makeSecret(), makeUserCode()];
    const digests = { deviceCode: digestOf(deviceCode), userCode: digestOf(userCode) };
    if (await insertDeviceRequest(db, { clientId, ...digests, seconds: expiresIn, interval })) {
      return { deviceCode, userCode: showUserCode(userCode), expiresIn, interval };
    }
  }
  throw new OAuthFailure('invalid_client', 'The app may not use the device flow.');
}
