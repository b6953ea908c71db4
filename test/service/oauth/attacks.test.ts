/** The attacks of RFC 9700 that the endpoints themselves stop. Redirect tricks are in `authorization/`. */
import { describe, expect, it } from 'vitest';
import { makeUserCode, readUserCode } from '../../../src/service/oauth/device/user-code.ts';
import { dumpOf, testDatabase } from '../support/database.ts';
import { CALLBACK, CHALLENGE, openWorld, refusalOf, VERIFIER } from './world.ts';

const { db } = await testDatabase();

const S256 = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

describe('code injection (RFC 9700, section 4.5)', () => {
  it('gives nothing to an attacker who has the code and not the verifier', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const app = await makeApp({ isPublic: true });
    const stolen = await codeOf(app, S256);
    // The attacker puts the stolen code into a session of their own, which has another verifier.
    const own = 'attackers-own-verifier-attackers-own-verifier';
    expect(refusalOf(await exchange(app, stolen, { code_verifier: own }))).toEqual([400, 'invalid_grant']);
    expect(refusalOf(await exchange(app, stolen))).toEqual([400, 'invalid_grant']);
    expect((await exchange(app, stolen, { code_verifier: VERIFIER })).statusCode).toBe(200);
  });

  it('gives nothing to another app, even one that has the redirect URI', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const redirectUris = [CALLBACK, 'https://evil.example/'];
    const [honest, evil] = [await makeApp(), await makeApp({ redirectUris })];
    const stolen = await codeOf(honest);
    for (const redirect_uri of redirectUris) {
      expect(refusalOf(await exchange(evil, stolen, { redirect_uri }))).toEqual([400, 'invalid_grant']);
    }
    expect((await exchange(honest, stolen)).statusCode).toBe(200);
  });
});

describe('replay', () => {
  it('of a code ends what the thief got, whoever came first', async () => {
    const { makeApp, codeOf, exchange, askAccount, refresh } = await openWorld(db);
    const app = await makeApp({ isPublic: true });
    const stolen = await codeOf(app);
    const proof = { code_verifier: VERIFIER };
    const thief = (await exchange(app, stolen, proof)).json();
    const ahead = (await refresh(app, thief.refresh_token)).json();
    expect(refusalOf(await exchange(app, stolen, proof))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(ahead.access_token)).statusCode).toBe(403);
  });

  it('of a refresh token ends what the thief got, whoever came first', async () => {
    const { makeApp, tokensOf, refresh, askAccount } = await openWorld(db);
    const app = await makeApp({ isPublic: true });
    const stolen = await tokensOf(app);
    const thief = (await refresh(app, stolen.refresh_token)).json();
    expect(refusalOf(await refresh(app, stolen.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(thief.access_token)).statusCode).toBe(403);
    expect(refusalOf(await refresh(app, thief.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('of parts of refresh tokens ends no other grant', async () => {
    const { makeApp, tokensOf, refresh } = await openWorld(db);
    const app = await makeApp({ isPublic: true });
    const [own, others] = [await tokensOf(app), await tokensOf(app)];
    const secret = (token: string) => token.slice(3 + 43);
    const handle = (token: string) => token.slice(0, 3 + 43);
    // An attacker knows their own token, and not the first half of another one.
    const crossed = `${handle(own.refresh_token)}${secret(others.refresh_token)}`;
    expect(refusalOf(await refresh(app, crossed))).toEqual([400, 'invalid_grant']);
    expect((await refresh(app, others.refresh_token)).statusCode).toBe(200);
  });
});

it('needs the secret for everything that gives or ends tokens (client impersonation)', async () => {
  const { makeApp, codeOf, tokensOf, post, askAccount } = await openWorld(db);
  const [app, evil] = [await makeApp(), await makeApp()];
  const { client_id } = app;
  const tokens = await tokensOf(app);
  const requests = [
    ['token', { grant_type: 'authorization_code', code: await codeOf(app), redirect_uri: CALLBACK }],
    ['token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }],
    ['revoke', { token: tokens.access_token }],
  ] as const;
  const secrets = [{}, { client_secret: evil.client_secret! }, { client_secret: client_id }];
  for (const [path, form] of requests) {
    for (const secret of secrets) {
      const answer = await post(path, { ...form, client_id, ...secret });
      expect(refusalOf(answer)).toEqual([401, 'invalid_client']);
    }
  }
  expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
});

describe('guessing', () => {
  it('of a user code has one chance in 25 billion, and every letter counts', () => {
    const codes = Array.from({ length: 2000 }, makeUserCode);
    expect(new Set(codes).size).toBe(2000);
    for (let place = 0; place < 8; place += 1) {
      expect(new Set(codes.map((code) => code[place])).size).toBe(20);
    }
    expect(codes.every((code) => readUserCode(code) === code)).toBe(true);
  });

  it('of a device code by someone who saw the user code gives nothing', async () => {
    const { makeApp, deviceOf, grants, accountId, poll } = await openWorld(db);
    const app = await makeApp();
    const device = await deviceOf(app);
    await grants.allowDevice(device.user_code, accountId);
    for (const guess of [device.user_code, device.user_code.replace('-', ''), device.device_code.slice(1)]) {
      expect(refusalOf(await poll(app, guess))).toEqual([400, 'invalid_grant']);
    }
    expect((await poll(app, device.device_code)).statusCode).toBe(200);
  });
});

describe('leakage', () => {
  /** Uses everything once, and returns every secret that was ever there. */
  async function useEverything() {
    const world = await openWorld(db);
    const app = await world.makeApp();
    const first = await world.tokensOf(app);
    const pair = (await world.refresh(app, first.refresh_token)).json();
    const plain = { code_challenge: VERIFIER, code_challenge_method: 'plain' };
    const waiting = await world.codeOf(app, plain);
    const used = await world.codeOf(app, plain);
    const ofCode = (await world.exchange(app, used, { code_verifier: VERIFIER })).json();
    const [allowed, open] = [await world.deviceOf(app), await world.deviceOf(app)];
    await world.grants.allowDevice(allowed.user_code, world.accountId);
    await world.poll(app, open.device_code);
    const ofDevice = (await world.poll(app, allowed.device_code)).json();
    await world.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${pair.access_token}` } });
    await world.askAccount(ofDevice.access_token);
    await world.askAccount(first.access_token);
    await world.refresh(app, ofCode.refresh_token, { client_secret: 'wrong' });
    await world.post('revoke', { ...app, token: ofDevice.access_token });
    await world.app.inject({ url: `/oauth/token?code=${used}&client_secret=${app.client_secret}` });
    const pairs = [first, pair, ofCode, ofDevice];
    const codes = [allowed, open].flatMap(({ device_code, user_code }) => [
      device_code,
      user_code,
      user_code.replace('-', ''),
    ]);
    const tokens = pairs.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token]);
    const handles = tokens.filter((token) => token.startsWith('rt_')).map((token) => token.slice(3, 46));
    const secrets = [app.client_secret!, waiting, used, VERIFIER, ...codes, ...tokens, ...handles];
    return { secrets, logged: world.logged };
  }

  it('of tokens, codes and secrets into the log does not happen', async () => {
    const { secrets, logged } = await useEverything();
    const text = logged.join('\n');
    expect(text).toContain('/oauth/token');
    // What went wrong is there by its name.
    expect(text).toContain('"reason":"invalid_client"');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('out of the database gives only digests', async () => {
    const { secrets } = await useEverything();
    const tables = ['apps', 'app_redirect_uris', 'authorization_codes', 'token_families', 'device_requests'];
    const dumps = await Promise.all(tables.map((table) => dumpOf(db, table)));
    const text = dumps.join('\n');
    const hex = (secret: string, encoding?: 'base64url') => Buffer.from(secret, encoding).toString('hex');
    const written = secrets.flatMap((secret) => [secret, hex(secret), hex(secret, 'base64url')]);
    expect(written.filter((secret) => text.includes(secret))).toEqual([]);
  });
});
