/**
 * Starts the device flow, and revokes tokens. The flows are our own SQL instead of `@node-oauth/oauth2-server`. That
 * library checks and spends a grant in separate calls, so two simultaneous requests both succeed. It also lacks the
 * device flow and revocation.
 */
import { digestOf } from '../../shared/sha256.ts';
import type { Db } from '../database/schema.ts';
import type { Deps } from '../deps/deps.ts';
import type { App } from './apps/app-store.ts';
import { insertDeviceRequest } from './device/device-store.ts';
import { makeUserCode, showUserCode } from './device/user-code.ts';
import { OAuthFailure } from './oauth-errors.ts';
import { handleOf, makeSecret } from './tokens/token-secrets.ts';
import { revokeByAccessToken, revokeFamily } from './tokens/token-store.ts';

/** The codes for a device. The route adds the URLs. */
export interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** Revokes the grant of an access token or refresh token of this app. Ignores other tokens. */
export async function revokeToken(db: Db, { client_id }: App, token: string): Promise<void> {
  const handle = handleOf(token);
  if (handle === undefined) await revokeByAccessToken(db, digestOf(token), client_id);
  else await revokeFamily(db, digestOf(handle), client_id);
}

/** Ten user codes in a row cannot all be taken by chance. */
const TRIES = 10;

/** @throws {OAuthFailure} if the app may not use the device flow */
export async function requestDevice(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  { client_id: clientId, allows_device }: App,
): Promise<DeviceCodes> {
  const { deviceCode: expiresIn, deviceInterval: interval } = settings.durations;
  for (let tries = 0; allows_device && tries < TRIES; tries += 1) {
    const [deviceCode, userCode] = [makeSecret(), makeUserCode()];
    const digests = { deviceCode: digestOf(deviceCode), userCode: digestOf(userCode) };
    if (await insertDeviceRequest(db, { clientId, ...digests, seconds: expiresIn, interval }))
      return { deviceCode, userCode: showUserCode(userCode), expiresIn, interval };
  }
  throw new OAuthFailure('invalid_client', 'The app may not use the device flow.');
}
