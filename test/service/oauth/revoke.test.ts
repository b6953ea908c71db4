/** `/oauth/revoke` over HTTP (RFC 7009; interface, section 4.8). */
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { openWorld, refusalOf } from './world.ts';

const { db } = await testDatabase();

async function open(wish: { isPublic?: boolean } = {}) {
  const world = await openWorld(db);
  const client = await world.makeApp(wish);
  const tokens = await world.tokensOf(client);
  const revoke = (token: string, more: Record<string, string> = {}) =>
    world.post('revoke', { token, ...client, ...more });
  return { ...world, client, tokens, revoke };
}

it.each(['access_token', 'refresh_token'] as const)(
  'ends the pair of an %s at once, and no other of the app',
  async (name) => {
    const { revoke, tokens, tokensOf, askAccount, refresh, client } = await open();
    const others = await tokensOf(client);
    const answer = await revoke(tokens[name], { token_type_hint: 'refresh_token' });
    expect([answer.statusCode, answer.json()]).toEqual([200, {}]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
    expect(refusalOf(await refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await revoke(tokens[name])).statusCode).toBe(200);
    expect((await askAccount(others.access_token)).statusCode).toBe(200);
  },
);

it('lets a public app revoke without a secret', async () => {
  const { revoke, tokens, askAccount } = await open({ isPublic: true });
  expect((await revoke(tokens.access_token)).statusCode).toBe(200);
  expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
});

it.each(['unknown', 'at_unknown', `rt_${'a'.repeat(86)}`, 'é'])(
  'says nothing about the token %j',
  async (token) => {
    const { revoke } = await open();
    const answer = await revoke(token);
    expect([answer.statusCode, answer.json()]).toEqual([200, {}]);
  },
);

it('leaves the tokens of another app', async () => {
  const { tokens, makeApp, post, askAccount, refresh, client } = await open();
  const other = await makeApp();
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    expect((await post('revoke', { token, ...other })).statusCode).toBe(200);
  }
  expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
  expect((await refresh(client, tokens.refresh_token)).statusCode).toBe(200);
});

it('refuses an app that does not prove itself, and a request without a token', async () => {
  const { client, tokens, post, askAccount } = await open();
  const token = tokens.access_token;
  const { client_id } = client;
  const refused = async (form: Record<string, string>) => refusalOf(await post('revoke', form));
  expect(await refused({ token, client_id })).toEqual([401, 'invalid_client']);
  expect(await refused({ token, client_id, client_secret: 'wrong' })).toEqual([401, 'invalid_client']);
  expect(await refused({ token, client_id: 'unknown_client' })).toEqual([401, 'invalid_client']);
  expect(await refused({ token })).toEqual([400, 'invalid_request']);
  expect(await refused({ ...client })).toEqual([400, 'invalid_request']);
  expect(await refused({ ...client, token: '' })).toEqual([400, 'invalid_request']);
  expect((await askAccount(token)).statusCode).toBe(200);
});
