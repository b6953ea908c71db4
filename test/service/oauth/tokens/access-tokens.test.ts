/** Access tokens at `/v1/*`: the rights of a private live key, with the limits and credits of the account. */
import { describe, expect, it } from 'vitest';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { deleteApp } from '../../../../src/service/oauth/apps/app-store.ts';
import { setAccountLimits } from '../../../../src/service/people/accounts/account-store.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { beginSecond, createScript, failureOf, storeKey } from '../../support/stored-service.ts';
import { FORM } from '../../testing.ts';
import { openWorld, passTime } from '../world.ts';

const database = await testDatabase();
const { db, run } = database;

async function open({
  isLive = true,
  ...options
}: Parameters<typeof openWorld>[1] & { isLive?: boolean } = {}) {
  const live = isLive ? { verifier: createScript().verifier } : {};
  const world = await openWorld(db, { ...live, ...options });
  const client = await world.makeApp();
  const tokens = await world.tokensOf(client);
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  return { ...world, client, tokens, token: tokens.access_token, bearer };
}

it('works as a parameter of query and body, and as Bearer', async () => {
  const { app, token, bearer } = await open({ credits: 10 });
  const email = 'email=jane@company.example';
  const post = (url: string, payload: string, headers: object = {}) =>
    app.inject({ method: 'POST', url, headers: { 'content-type': FORM, ...headers }, payload });
  const answers = await Promise.all([
    app.inject({ url: `/v1/account?access_token=${token}` }),
    app.inject({ url: '/v1/account', headers: bearer }),
    app.inject({ url: `/v1/verify?${email}`, headers: bearer }),
    app.inject({ url: `/v1/verify?${email}&access_token=${token}` }),
    post('/v1/verify', `${email}&access_token=${token}`),
    post('/v1/batch', 'emails=a@b.example', bearer),
    app.inject({ url: `/v1/account?access_token=${token}`, headers: bearer }),
  ]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
});

it('names its app in the audit log of the batches that it makes', async () => {
  const { app, accountId, bearer, client } = await open({ credits: 1 });
  const payload = { emails: 'a@b.example' };
  await app.inject({ method: 'POST', url: '/v1/batch', headers: bearer, payload });
  expect(await readAudit(db, accountId, { limit: 1 })).toMatchObject([
    {
      action: 'batch.create',
      actor: 'app',
      actor_id: client.client_id,
      details: { mode: 'live', entries: 1 },
    },
  ]);
});

it('is not an API key, nor is an API key an access token', async () => {
  const { app, token, accountId } = await open();
  const { key } = await storeKey(db, accountId);
  for (const url of [`/v1/account?api_key=${token}`, `/v1/account?access_token=${key}`]) {
    expect((await app.inject(url)).statusCode).toBe(403);
  }
  const both = await app.inject(`/v1/account?access_token=${token}&api_key=${key}`);
  expect(both.statusCode).toBe(400);
});

it('spends the credits of its account', async () => {
  const { app, accountId, bearer } = await open({ credits: 3 });
  const url = '/v1/verify?email=jane@company.example';
  expect((await app.inject({ url, headers: bearer })).statusCode).toBe(200);
  expect(await creditsOf(db, accountId)).toBe(2);
  expect((await app.inject({ url: '/v1/account', headers: bearer })).json()).toEqual({
    owner_email: `${accountId}@example.com`,
    available_credits: 2,
  });
  const poor = await open();
  expect((await poor.app.inject({ url, headers: poor.bearer })).statusCode).toBe(402);
});

it('asks live, and gets a 503 where nothing verifies', async () => {
  const { app, bearer, accountId } = await open({ isLive: false, credits: 3 });
  const answer = await app.inject({ url: '/v1/verify?email=deliverable@example.com', headers: bearer });
  expect(answer.statusCode).toBe(503);
  expect(await creditsOf(db, accountId)).toBe(3);
});

it('counts for the limits of its account, together with the keys', async () => {
  const { app, accountId, bearer } = await open({ limits: { accountPerSecond: 100 } });
  await setAccountLimits(db, accountId, { account_per_second: 3 });
  const { key } = await storeKey(db, accountId);
  await beginSecond(db, accountId, '/v1/account');
  const statuses: number[] = [];
  for (const headers of [bearer, { authorization: `Bearer ${key}` }, bearer]) {
    statuses.push((await app.inject({ url: '/v1/account', headers })).statusCode);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

it('sees the batches of its account, made with whatever credential, and simulates nothing', async () => {
  const { app, accountId, bearer, token } = await open({ credits: 5 });
  const { key } = await storeKey(db, accountId);
  const make = (headers: object, payload: string) =>
    app.inject({ method: 'POST', url: '/v1/batch', headers: { 'content-type': FORM, ...headers }, payload });
  const ofKey = (await make({ authorization: `Bearer ${key}` }, 'emails=a@b.example')).json();
  const ofToken = (await make({}, `emails=a@b.example&access_token=${token}`)).json();
  for (const { id } of [ofKey, ofToken]) {
    expect((await app.inject({ url: `/v1/batch?id=${id}`, headers: bearer })).statusCode).toBe(200);
  }
  expect((await make(bearer, 'emails=a@b.example&simulate=card_error')).statusCode).toBe(400);
  const { bearer: foreign } = await open();
  expect((await app.inject({ url: `/v1/batch?id=${ofKey.id}`, headers: foreign })).statusCode).toBe(404);
});

it('names the app in the log, and not the token', async () => {
  const { app, bearer, client, token, logged } = await open();
  await app.inject({ url: '/v1/account', headers: bearer });
  expect(logged.join()).toContain(`"key":"app_${client.client_id}"`);
  expect(logged.join()).not.toContain(token);
});

describe('a 403', () => {
  const unknownKey = [403, expect.stringMatching(/^The API key is not accepted here/)];
  const refused = [403, expect.stringMatching(/^The access token has expired or was revoked/)];

  it('is for tokens that are unknown, expired, revoked, or of an app or account that is gone', async () => {
    const unknown = await open();
    const wrong = [unknown.tokens.refresh_token, unknown.token.slice(0, -1)];
    for (const value of ['x', 'at_x', ...wrong, '%00', '%E2%82%AC']) {
      const answer = await unknown.askAccount(value);
      expect([failureOf(answer), answer.headers['www-authenticate']]).toEqual([unknownKey, undefined]);
    }
    const revoked = await open();
    await revoked.post('revoke', { ...revoked.client, token: revoked.token });
    const withoutApp = await open();
    await deleteApp(db, withoutApp.client.client_id);
    const withoutAccount = await open();
    const person = await makeAccount(db);
    await run`update token_families set account_id = ${person}, person_id = null where account_id = ${withoutAccount.accountId}`;
    await deleteAccount(db, person);
    for (const { askAccount, token } of [revoked, withoutApp, withoutAccount]) {
      expect(failureOf(await askAccount(token))).toEqual(refused);
    }
    expect((await unknown.askAccount(unknown.token)).statusCode).toBe(200);
    const expired = await open({ durations: { accessToken: 600 } });
    await passTime(db, 500);
    expect((await expired.askAccount(expired.token)).statusCode).toBe(200);
    await passTime(db, 101);
    for (const answer of [
      await expired.askAccount(expired.token),
      await expired.app.inject({ url: '/v1/batch?id=x', headers: expired.bearer }),
      await expired.app.inject({ url: '/v1/verify?email=a@b.example', headers: expired.bearer }),
    ]) {
      expect(failureOf(answer)).toEqual(refused);
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
    const asKey = await expired.app.inject(`/v1/account?api_key=${expired.token}`);
    expect([failureOf(asKey), asKey.headers['www-authenticate']]).toEqual([unknownKey, undefined]);
  });

  it('comes at once in every process', async () => {
    const { client, token, post, askAccount } = await open();
    const other = await openWorld(database.connect(2));
    expect((await other.askAccount(token)).statusCode).toBe(200);
    await post('revoke', { ...client, token });
    expect((await other.askAccount(token)).statusCode).toBe(403);
    expect((await askAccount(token)).statusCode).toBe(403);
  });
});

it('says which credential is missing', async () => {
  const { app } = await open();
  const answer = await app.inject('/v1/account');
  expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
});
