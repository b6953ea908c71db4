/** What the OAuth endpoints do with the database. The routes know HTTP, and this file does not. */
import type { Durations } from '../config/durations.ts';
import type { Db } from '../database/schema.ts';
import { type App, findApp } from './apps/store.ts';
import { createGrants } from './create-grants.ts';
import { insertDeviceRequest } from './device/store.ts';
import { makeUserCode, showUserCode } from './device/user-code.ts';
import { OAuthFailure } from './errors.ts';
import type { GrantType, TokenParameters } from './grant-types.ts';
import type { Grants } from './grants.ts';
import type { TokenResponse } from './schema.ts';
import { EXCHANGES } from './tokens/exchange.ts';
import { digestOf, handleOf, makeSecret } from './tokens/secrets.ts';
import { revokeByAccessToken, revokeFamily } from './tokens/store.ts';

/** What a device gets. The URLs in its response are the route's. */
export interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

export interface OAuthServer {
  /** What the pages need. */
  readonly grants: Grants;
  findApp(clientId: string): Promise<App | undefined>;
  /** @throws {OAuthFailure} for a grant that gives nothing */
  exchange(grantType: GrantType, app: App, parameters: TokenParameters): Promise<TokenResponse>;
  /** @throws {OAuthFailure} if the app may not use the device flow */
  requestDevice(app: App): Promise<DeviceCodes>;
  /** Ends the grant that an access token or refresh token of this app belongs to. Other tokens change nothing. */
  revoke(app: App, token: string): Promise<void>;
}

export interface OAuthServerOptions {
  readonly db: Db;
  readonly durations: Pick<Durations, 'authorizationCode' | 'accessToken' | 'deviceCode' | 'deviceInterval'>;
}

/**
 * The flows are our own statements, and not `@node-oauth/oauth2-server`: it checks a grant and spends it in separate
 * calls, so that two requests at once both succeed, and it has no device flow and no revocation.
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

/** Ten user codes in a row are not taken by chance. */
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
