/** The clients that apps use, over real connections. A person's decision takes the place of the browser. */
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { CALLBACK, openToClients, type openWorld } from './world.ts';

const { db, run } = await testDatabase();

const open = (options?: Parameters<typeof openWorld>[1]) => openToClients(db, options);

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };

  async function openClient(wish: { isPublic?: boolean } = {}) {
    const world = await open();
    const app = await world.makeApp(wish);
    const issuer = new URL(world.base);
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, discovery);
    return { ...world, as, client: { client_id: app.client_id }, secret: app.client_secret };
  }

  it.each([
    ['S256', oauth.ClientSecretPost],
    ['S256', oauth.ClientSecretBasic],
    ['plain', oauth.ClientSecretPost],
  ])('runs the code flow with %s, refreshes and revokes (%o)', async (method, prove) => {
    const { as, client, secret, visit, askAccount } = await openClient();
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(as.authorization_endpoint!);
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'all',
      state,
      code_challenge: method === 'plain' ? verifier : await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: method,
    }).toString();
    const returned = oauth.validateAuthResponse(as, client, await visit(url), state);
    const request = (code: string) =>
      oauth.authorizationCodeGrantRequest(as, client, prove(secret!), returned, CALLBACK, code, insecure);
    await expect(
      oauth.processAuthorizationCodeResponse(as, client, await request(oauth.generateRandomCodeVerifier())),
    ).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, await request(verifier));
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 7200, scope: 'all' });

    const { refresh_token = '' } = tokens;
    const answered = await oauth.refreshTokenGrantRequest(
      as,
      client,
      prove(secret!),
      refresh_token,
      insecure,
    );
    const refreshed = await oauth.processRefreshTokenResponse(as, client, answered);
    const answer = await oauth.protectedResourceRequest(
      refreshed.access_token,
      'GET',
      new URL('/v1/account', as.issuer),
      undefined,
      undefined,
      insecure,
    );
    expect(answer.status).toBe(200);
    const { access_token } = refreshed;
    const revoked = await oauth.revocationRequest(as, client, prove(secret!), access_token, insecure);
    await oauth.processRevocationResponse(revoked);
    expect((await askAccount(access_token)).statusCode).toBe(403);
  });

  it('sees a denial, and a response that comes from another server', async () => {
    const { as, client, visit } = await openClient();
    const url = new URL(as.authorization_endpoint!);
    url.search = new URLSearchParams({ ...client, redirect_uri: CALLBACK, response_type: 'code' }).toString();
    const denied = await visit(url, 'deny');
    expect(() => oauth.validateAuthResponse(as, client, denied, oauth.expectNoState)).toThrow(
      expect.objectContaining({ error: 'access_denied' }),
    );
    const allowed = await visit(url);
    oauth.validateAuthResponse(as, client, allowed, oauth.expectNoState);
    // Mix-up: the code of an honest server, in a response that another server has asked for, and the other way round.
    const other = { ...as, issuer: 'https://evil.example' };
    expect(() => oauth.validateAuthResponse(other, client, allowed, oauth.expectNoState)).toThrow('iss');
    allowed.searchParams.delete('iss');
    expect(() => oauth.validateAuthResponse(as, client, allowed, oauth.expectNoState)).toThrow('iss');
  });
});

describe('openid-client', () => {
  async function openClient(wish: { isPublic?: boolean } = {}, options = {}) {
    const world = await open(options);
    const app = await world.makeApp(wish);
    const config = await openid.discovery(
      new URL(world.base),
      app.client_id,
      undefined,
      app.client_secret === undefined ? openid.None() : openid.ClientSecretPost(app.client_secret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    return { ...world, config };
  }

  it.each([true, false])('runs the code flow, refreshes and revokes (public: %s)', async (isPublic) => {
    const { config, visit, askAccount } = await openClient({ isPublic });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    const checks = { pkceCodeVerifier, expectedState };
    const tokens = await openid.authorizationCodeGrant(config, await visit(url), checks);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!);
    expect((await askAccount(refreshed.access_token)).statusCode).toBe(200);
    const again = openid.refreshTokenGrant(config, tokens.refresh_token!);
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' });
    await openid.tokenRevocation(config, refreshed.access_token);
    expect((await askAccount(refreshed.access_token)).statusCode).toBe(403);
  });

  it('runs the device flow, and waits while the person decides', async () => {
    const options = { durations: { deviceInterval: 1 } };
    const { config, grants, accountId, askAccount } = await openClient({}, options);
    const device = await openid.initiateDeviceAuthorization(config, {});
    expect(device.verification_uri_complete).toContain(device.user_code);
    // It polls, is told to wait, and asks again after the interval.
    const signal = AbortSignal.timeout(20_000);
    const polled = openid.pollDeviceAuthorizationGrant(config, device, undefined, { signal });
    const polls = async () => (await run`select from device_requests where polled_at is not null`).rows;
    await expect.poll(polls).not.toEqual([]);
    expect(await grants.allowDevice(device.user_code, accountId)).toBe(true);
    expect((await askAccount((await polled).access_token)).statusCode).toBe(200);
  });

  it('hears that the person has denied the device', async () => {
    const { config, grants, accountId } = await openClient();
    const device = await openid.initiateDeviceAuthorization(config, {});
    await grants.denyDevice(device.user_code, accountId);
    const polled = openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.05 });
    await expect(polled).rejects.toMatchObject({ error: 'access_denied' });
  });
});
