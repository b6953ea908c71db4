/** `/oauth/token` over HTTP, on a real database: the code and refresh grants, and every error of the endpoint. */
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { digestOf } from '../../../src/shared/sha256.ts';
import { testDatabase } from '../support/database.ts';
import { FORM } from '../testing.ts';
import { CALLBACK, CHALLENGE, DEVICE_GRANT, openWorld, passTime, refusalOf, VERIFIER } from './world.ts';

const { db } = await testDatabase();

const OTHER_VERIFIER = VERIFIER.replace('d', 'e');
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

describe('the code grant', () => {
  it('gives a pair of tokens with exactly the documented names', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const app = await makeApp();
    const answer = await exchange(app, await codeOf(app));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    });
    const tokens = answer.json();
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^at_[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^rt_[\w-]{86}$/),
      token_type: 'Bearer',
      expires_in: 7200,
      scope: 'all',
      created_at: expect.any(Number),
    });
    const stored = await db
      .selectFrom('token_families')
      .select('issued_at')
      .where('access_token', '=', digestOf(tokens.access_token))
      .executeTakeFirstOrThrow();
    expect(tokens.created_at).toBe(Math.floor(stored.issued_at.getTime() / 1_000));
  });

  it('takes the secret in the header, form-encoded', async () => {
    const { makeApp, codeOf, post, app: service } = await openWorld(db);
    const app = await makeApp();
    const form = { grant_type: 'authorization_code', code: await codeOf(app), redirect_uri: CALLBACK };
    const headers = basic(app.client_id, app.client_secret!);
    expect((await post('token', form, { headers })).statusCode).toBe(200);
    const again = await service.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/json', ...headers },
      payload: { ...form, client_id: app.client_id, code: await codeOf(app) },
    });
    expect(again.statusCode).toBe(200);
  });

  it.each([
    ['S256', CHALLENGE],
    ['plain', VERIFIER],
  ])('wants the verifier of a challenge by %s', async (code_challenge_method, code_challenge) => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const app = await makeApp();
    const code = await codeOf(app, { code_challenge, code_challenge_method });
    const wrong = [OTHER_VERIFIER, CHALLENGE, 'x'].map((code_verifier) => ({ code_verifier }));
    for (const more of [{}, ...wrong]) {
      expect(refusalOf(await exchange(app, code, more))).toEqual([400, 'invalid_grant']);
    }
    // Nobody can guess a verifier, so a wrong one does not use the code up.
    expect((await exchange(app, code, { code_verifier: VERIFIER })).statusCode).toBe(200);
  });

  it('refuses a verifier for a code without a challenge, so that nobody can take the challenge out', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const app = await makeApp();
    const code = await codeOf(app);
    expect(refusalOf(await exchange(app, code, { code_verifier: VERIFIER }))).toEqual([400, 'invalid_grant']);
    expect((await exchange(app, code)).statusCode).toBe(200);
  });

  it('gives nothing for a code after its time', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db, { durations: { authorizationCode: 600 } });
    const app = await makeApp();
    const [early, late] = [await codeOf(app), await codeOf(app)];
    await passTime(db, 500);
    expect((await exchange(app, early)).statusCode).toBe(200);
    await passTime(db, 101);
    expect(refusalOf(await exchange(app, late))).toEqual([400, 'invalid_grant']);
  });

  it('gives nothing for another redirect URI of the app, or to another app, and leaves the code', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const second = 'https://app.example/second';
    const [app, other] = [await makeApp({ redirectUris: [CALLBACK, second] }), await makeApp()];
    const code = await codeOf(app);
    expect(refusalOf(await exchange(app, code, { redirect_uri: second }))).toEqual([400, 'invalid_grant']);
    expect(refusalOf(await exchange(other, code))).toEqual([400, 'invalid_grant']);
    expect((await exchange(app, code)).statusCode).toBe(200);
  });

  it('ends the tokens of a code that comes again', async () => {
    const { makeApp, codeOf, exchange, askAccount, refresh } = await openWorld(db);
    const app = await makeApp();
    const code = await codeOf(app);
    const tokens = (await exchange(app, code)).json();
    expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
    expect(refusalOf(await exchange(app, code))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
    expect(refusalOf(await refresh(app, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('ends them also after a refresh, but not for another app', async () => {
    const { makeApp, codeOf, exchange, askAccount, refresh } = await openWorld(db);
    const [app, other] = [await makeApp(), await makeApp()];
    const code = await codeOf(app);
    const first = (await exchange(app, code)).json();
    const second = (await refresh(app, first.refresh_token)).json();
    expect(refusalOf(await exchange(other, code))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(second.access_token)).statusCode).toBe(200);
    expect(refusalOf(await exchange(app, code))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(second.access_token)).statusCode).toBe(403);
  });
});

describe('the refresh grant', () => {
  it('replaces both tokens, and the old access token ends', async () => {
    const { makeApp, tokensOf, refresh, askAccount } = await openWorld(db, {
      durations: { accessToken: 33 },
    });
    const app = await makeApp();
    const old = await tokensOf(app);
    const answer = await refresh(app, old.refresh_token, { scope: 'all' });
    const pair = answer.json();
    expect([answer.statusCode, pair.expires_in]).toEqual([200, 33]);
    expect(Object.keys(pair)).toEqual(Object.keys(old));
    expect(pair.access_token).not.toBe(old.access_token);
    expect(pair.refresh_token).not.toBe(old.refresh_token);
    expect((await askAccount(pair.access_token)).statusCode).toBe(200);
    expect((await askAccount(old.access_token)).statusCode).toBe(403);
  });

  it('works long after the access token has expired, for a year', async () => {
    const { makeApp, tokensOf, refresh } = await openWorld(db);
    const app = await makeApp();
    const tokens = await tokensOf(app);
    await passTime(db, 7200 + 364 * 86_400);
    const pair = (await refresh(app, tokens.refresh_token)).json();
    await passTime(db, 7200 + 367 * 86_400);
    expect(refusalOf(await refresh(app, pair.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('ends the newest pair when a used refresh token comes again', async () => {
    const { makeApp, tokensOf, refresh, askAccount } = await openWorld(db);
    const app = await makeApp({ isPublic: true });
    const first = await tokensOf(app);
    const second = (await refresh(app, first.refresh_token)).json();
    const third = (await refresh(app, second.refresh_token)).json();
    expect((await askAccount(third.access_token)).statusCode).toBe(200);
    expect(refusalOf(await refresh(app, first.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(third.access_token)).statusCode).toBe(403);
    expect(refusalOf(await refresh(app, third.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('gives nothing to another app, and ends nothing for it', async () => {
    const { makeApp, tokensOf, refresh } = await openWorld(db);
    const [app, other] = [await makeApp(), await makeApp()];
    const tokens = await tokensOf(app);
    expect(refusalOf(await refresh(other, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await refresh(app, tokens.refresh_token)).statusCode).toBe(200);
  });

  it('keeps the grants of one account apart: ending one leaves the other', async () => {
    const { makeApp, tokensOf, refresh, askAccount } = await openWorld(db);
    const app = await makeApp();
    const [laptop, phone] = [await tokensOf(app), await tokensOf(app)];
    await refresh(app, laptop.refresh_token);
    await refresh(app, laptop.refresh_token);
    expect((await askAccount(phone.access_token)).statusCode).toBe(200);
  });
});

describe('the errors', () => {
  /** A request that works, for each grant. */
  async function openGrants() {
    const world = await openWorld(db);
    const app = await world.makeApp();
    const { client_id } = app;
    const device = await world.deviceOf(app);
    const tokens = await world.tokensOf(app);
    const code = await world.codeOf(app, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    const right: Record<string, Record<string, string>> = {
      authorization_code: { ...app, code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
      refresh_token: { ...app, refresh_token: tokens.refresh_token },
      [DEVICE_GRANT]: { client_id, device_code: device.device_code },
    };
    await world.grants.allowDevice(device.user_code, world.accountId);
    const ask = (grant: string, change: Record<string, string | undefined> = {}, headers = {}) => {
      const form = Object.entries({ grant_type: grant, ...right[grant], ...change });
      const given = form.filter((pair): pair is [string, string] => pair[1] !== undefined);
      return world.post('token', Object.fromEntries(given), { headers });
    };
    return { ...world, client: app, right, ask };
  }

  const GRANTS = ['authorization_code', 'refresh_token', DEVICE_GRANT];

  it.each(GRANTS)('are none for %s as it should be', async (grant) => {
    const { ask } = await openGrants();
    expect((await ask(grant)).statusCode).toBe(200);
  });

  it.each([
    ['authorization_code', ['grant_type', 'client_id', 'code', 'redirect_uri']],
    ['refresh_token', ['grant_type', 'client_id', 'refresh_token']],
    [DEVICE_GRANT, ['grant_type', 'client_id', 'device_code']],
  ])('say invalid_request when a parameter of %s is missing, empty or there twice', async (grant, names) => {
    const { ask, right, post, app } = await openGrants();
    for (const name of names) {
      for (const value of [undefined, '']) {
        const answer = await ask(grant, { [name]: value });
        expect(refusalOf(answer), name).toEqual([400, 'invalid_request']);
        expect(answer.json().error_description).toContain(name);
      }
      const once = new URLSearchParams({ grant_type: grant, ...right[grant] });
      once.append(name, 'x');
      const twice = await app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { 'content-type': FORM },
        payload: once.toString(),
      });
      expect(refusalOf(twice), name).toEqual([400, 'invalid_request']);
      expect(refusalOf(await post('token', { [name]: 'a\0b' }))).toEqual([400, 'invalid_request']);
    }
    // Nothing of it has used anything up.
    expect((await ask(grant)).statusCode).toBe(200);
  });

  it('say invalid_request for parameters in the query', async () => {
    const { right, app } = await openGrants();
    const query = new URLSearchParams({ grant_type: 'refresh_token', ...right.refresh_token });
    const answer = await app.inject({ method: 'POST', url: `/oauth/token?${query}` });
    expect(refusalOf(answer)).toEqual([400, 'invalid_request']);
  });

  it('say unsupported_grant_type for any other', async () => {
    const { ask, client, post } = await openGrants();
    const unsupported = [400, 'unsupported_grant_type'];
    const types = ['password', 'client_credentials', 'implicit', 'Authorization_Code', '__proto__'];
    for (const grant_type of types)
      expect(refusalOf(await post('token', { ...client, grant_type }))).toEqual(unsupported);
    expect(refusalOf(await ask('nothing'))).toEqual(unsupported);
  });

  it.each(GRANTS)(
    'say invalid_client for %s of an app that is unknown or has another secret',
    async (grant) => {
      const { ask, client } = await openGrants();
      const secret = client.client_secret!;
      const other = { client_secret: `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}` };
      const wrong = [{ client_id: 'unknown_client' }, { client_id: 'no' }, { client_id: "' or 1=1" }, other];
      for (const change of wrong) {
        const answer = await ask(grant, change);
        expect(refusalOf(answer), JSON.stringify(change)).toEqual([401, 'invalid_client']);
        expect(answer.headers).not.toHaveProperty('www-authenticate');
      }
      expect((await ask(grant)).statusCode).toBe(200);
    },
  );

  it.each(['authorization_code', 'refresh_token'])(
    'say invalid_client for %s without the secret',
    async (grant) => {
      const { ask, client } = await openGrants();
      expect(refusalOf(await ask(grant, { client_secret: undefined }))).toEqual([401, 'invalid_client']);
      const without = { client_secret: undefined, client_id: undefined };
      const answer = await ask(grant, without, basic(client.client_id, ''));
      expect(refusalOf(answer)).toEqual([401, 'invalid_client']);
    },
  );

  it('say so with a challenge when the header was used', async () => {
    const { ask, client } = await openGrants();
    const without = { client_id: undefined, client_secret: undefined };
    const headers = [
      basic(client.client_id, 'wrong'),
      basic('unknown_client', client.client_secret!),
      { authorization: 'Basic' },
      { authorization: 'Basic ,,,' },
      { authorization: `Basic ${Buffer.from('%zz:%zz').toString('base64')}` },
      { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
      { authorization: 'Bearer live_key' },
    ];
    for (const header of headers) {
      const answer = await ask('refresh_token', without, header);
      expect(refusalOf(answer), JSON.stringify(header)).toEqual([401, 'invalid_client']);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
  });

  it('say invalid_request when the app names itself in both ways', async () => {
    const { ask, client } = await openGrants();
    const header = basic(client.client_id, client.client_secret!);
    expect(refusalOf(await ask('refresh_token', {}, header))).toEqual([400, 'invalid_request']);
    const other = { client_secret: undefined, client_id: 'another_client' };
    expect(refusalOf(await ask('refresh_token', other, header))).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['authorization_code', 'code'],
    ['refresh_token', 'refresh_token'],
    [DEVICE_GRANT, 'device_code'],
  ])('say invalid_grant for %s with an unknown %s', async (grant, name) => {
    const { ask } = await openGrants();
    for (const value of ['unknown', `rt_${'a'.repeat(86)}`, 'é', "'--"]) {
      expect(refusalOf(await ask(grant, { [name]: value }))).toEqual([400, 'invalid_grant']);
    }
  });

  it('say invalid_scope for a refresh with another scope', async () => {
    const { ask } = await openGrants();
    for (const scope of ['admin', 'all all', 'all admin', 'ALL']) {
      expect(refusalOf(await ask('refresh_token', { scope }))).toEqual([400, 'invalid_scope']);
    }
    expect((await ask('refresh_token', { scope: 'all' })).statusCode).toBe(200);
  });

  it('say unauthorized_client for a grant that the app does not have', async () => {
    const { makeApp, post } = await openWorld(db);
    const onlyDevice = await makeApp({ redirectUris: [] });
    const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK };
    expect(refusalOf(await post('token', { ...onlyDevice, ...code }))).toEqual([400, 'unauthorized_client']);
    const onlyCode = await makeApp({ allowsDevice: false });
    const device = { grant_type: DEVICE_GRANT, device_code: 'x' };
    expect(refusalOf(await post('token', { ...onlyCode, ...device }))).toEqual([400, 'unauthorized_client']);
  });

  it.each([
    [FORM, '%zz=1', 400],
    ['application/json', '{', 400],
    ['application/json', '[]', 400],
    ['application/json', '{"grant_type": 1}', 400],
    ['text/plain', 'grant_type=refresh_token', 415],
    [FORM, `grant_type=${'x'.repeat(70_000)}`, 413],
  ])('have their shape for a body of type %s that is wrong', async (type, payload, status) => {
    const { app } = await openWorld(db);
    const headers = { 'content-type': type };
    const answer = await app.inject({ method: 'POST', url: '/oauth/token', headers, payload });
    expect(refusalOf(answer)).toEqual([status, 'invalid_request']);
  });

  it('have their shape while the database is away', async () => {
    const { post } = await openWorld(db, { isReady: () => false });
    const answer = await post('token', { grant_type: 'refresh_token' });
    expect(refusalOf(answer)).toEqual([503, 'temporarily_unavailable']);
    expect(answer.headers['retry-after']).toBe('2');
  });

  it('have their shape when something is broken', async () => {
    const broken = await testDatabase(onTestFinished);
    const { post, logged } = await openWorld(broken.db);
    await sql`alter table apps rename to mislaid`.execute(broken.db);
    const answer = await post('token', { grant_type: 'refresh_token', client_id: '0123456789' });
    expect(refusalOf(answer)).toEqual([500, 'server_error']);
    expect(logged.join()).toContain('unexpected error');
    await sql`alter table mislaid rename to apps`.execute(broken.db);
  });

  it('are the ones of HTTP itself for another method', async () => {
    const { app } = await openWorld(db);
    for (const path of ['token', 'device/code', 'revoke']) {
      const answer = await app.inject({ url: `/oauth/${path}` });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'OPTIONS, POST']);
    }
  });
});
