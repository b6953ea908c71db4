/** What people decide on the pages, and what apps get of it. */
import { describe, expect, it } from 'vitest';
import { deleteAccount, endAccount } from '../../../src/service/deletion/delete-account.ts';
import { deleteApp } from '../../../src/service/oauth/apps/app-store.ts';
import { OUT_OF_BAND } from '../../../src/service/oauth/apps/redirect-uri.ts';
import type { AuthorisedApp, AuthorizationRequest } from '../../../src/service/oauth/grants.ts';
import { makeAccount } from '../support/account.ts';
import { auditOf } from '../support/audit.ts';
import { testDatabase } from '../support/database.ts';
import { CALLBACK, ISSUER, openWorld, passTime, refusalOf } from './world.ts';

const { db, run } = await testDatabase();

async function openRequest(redirectUri = CALLBACK, query: Record<string, string> = {}) {
  const world = await openWorld(db);
  const client = await world.makeApp({ redirectUris: [redirectUri] });
  const { client_id } = client;
  const request = await world.read({ response_type: 'code', client_id, redirect_uri: redirectUri, ...query });
  if (request.kind !== 'ask') throw new Error(request.message);
  return { ...world, client, request };
}

const urlOf = (decision: { kind: string; url?: string }) => new URL(decision.url!);

describe('a redirect', () => {
  it('carries the code, the state and the issuer', async () => {
    const state = '\'"<>&=?#+ %20ü\u{1F600}';
    const { grants, request, accountId } = await openRequest(CALLBACK, { state });
    const url = urlOf(await grants.allow(request, accountId));
    expect(url.href.startsWith(`${CALLBACK}?code=`)).toBe(true);
    expect([...url.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(url.searchParams.get('state')).toBe(state);
    // An app that uses several servers sees which one answers (RFC 9207), so a mixed-up code goes nowhere else.
    expect(url.searchParams.get('iss')).toBe(ISSUER);
  });

  it('carries no state that was not sent', async () => {
    const { grants, request, accountId } = await openRequest();
    expect(urlOf(await grants.allow(request, accountId)).searchParams.has('state')).toBe(false);
    expect(urlOf(await grants.deny(request, accountId)).searchParams.has('state')).toBe(false);
  });

  it('says access_denied after a denial', async () => {
    const { grants, request, accountId } = await openRequest(CALLBACK, { state: 'abc' });
    const { searchParams } = urlOf(await grants.deny(request, accountId));
    expect([...searchParams.keys()]).toEqual(['error', 'error_description', 'state', 'iss']);
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('state')).toBe('abc');
  });

  it.each([
    ['https://app.example/callback?keep=1&this=%20', 'https://app.example/callback?keep=1&this=%20&code='],
    ['https://app.example/callback?', 'https://app.example/callback?code='],
    ['https://app.example/callback?a&', 'https://app.example/callback?a&code='],
    ['https://app.example', 'https://app.example?code='],
    ['http://127.0.0.1:9999/cb', 'http://127.0.0.1:9999/cb?code='],
    ['com.example.app:/cb', 'com.example.app:/cb?code='],
  ])('keeps %s as it is', async (redirectUri, beginning) => {
    const { grants, request, accountId } = await openRequest(redirectUri);
    const decision = await grants.allow(request, accountId);
    expect(decision).toMatchObject({ kind: 'redirect', url: expect.stringContaining(beginning) });
  });
});

it('shows the code of an app without a page, and the app gets tokens for it', async () => {
  const { grants, request, accountId, exchange, client } = await openRequest(OUT_OF_BAND);
  const decision = await grants.allow(request, accountId);
  if (decision.kind !== 'oob-code') throw new Error(decision.kind);
  expect((await exchange(client, decision.code, { redirect_uri: OUT_OF_BAND })).statusCode).toBe(200);
  expect(await grants.deny(request, accountId)).toEqual({ kind: 'oob-denied' });
});

it('gives another code each time', async () => {
  const { grants, request, accountId } = await openRequest();
  const codes = await Promise.all([1, 2, 3].map(() => grants.allow(request, accountId)));
  expect(new Set(codes.map((decision) => urlOf(decision).searchParams.get('code'))).size).toBe(3);
});

describe('what was deleted meanwhile', () => {
  const gone = { kind: 'error-page', error: 'invalid_client' };

  it('gets an error page', async () => {
    const first = await openRequest();
    await deleteApp(db, first.client.client_id);
    expect(await first.grants.allow(first.request, first.accountId)).toMatchObject(gone);
    const second = await openRequest();
    const person = await makeAccount(db);
    await deleteAccount(db, person);
    expect(await second.grants.allow(second.request, person)).toMatchObject(gone);
    const third = await openRequest();
    await run`delete from app_redirect_uris where client_id = ${third.client.client_id}`;
    expect(await third.grants.allow(third.request, third.accountId)).toMatchObject(gone);
  });

  it('gives no tokens', async () => {
    const { makeApp, codeOf, deviceOf, exchange, poll, grants } = await openWorld(db);
    const [app, person] = [await makeApp(), await makeAccount(db)];
    const request: AuthorizationRequest = {
      kind: 'ask',
      app: { clientId: app.client_id, name: 'Newsletter', owner: 'ada@example.com' },
      scope: 'all',
      ...{ redirectUri: CALLBACK, registeredUri: CALLBACK },
      state: undefined,
      challenge: undefined,
      issuer: ISSUER,
    };
    const code = urlOf(await grants.allow(request, person)).searchParams.get('code')!;
    const device = await deviceOf(app);
    expect(await grants.allowDevice(device.user_code, person)).toBe(true);
    await deleteAccount(db, person);
    expect(refusalOf(await exchange(app, code))).toEqual([400, 'invalid_grant']);
    expect(refusalOf(await poll(app, device.device_code))).toEqual([400, 'invalid_grant']);
    expect(await grants.allowDevice((await deviceOf(app)).user_code, person)).toBe(false);
    const late = await codeOf(app);
    await deleteApp(db, app.client_id);
    expect(refusalOf(await exchange(app, late))).toEqual([401, 'invalid_client']);
  });
});

it('ends the apps of a deleted account for everybody at once, while its data is yet to be deleted', async () => {
  const { makeApp, tokensOf, codeOf, deviceOf, exchange, refresh, askAccount, read, grants, accountId } =
    await openWorld(db);
  const maker = await makeAccount(db);
  const app = await makeApp({ accountId: maker });
  const { access_token, refresh_token } = await tokensOf(app);
  const [code, device] = [await codeOf(app), await deviceOf(app)];
  expect((await askAccount(access_token)).statusCode).toBe(200);
  await db.transaction().execute((transaction) => endAccount(transaction, maker));
  expect((await askAccount(access_token)).statusCode).toBe(403);
  for (const answer of [await refresh(app, refresh_token), await exchange(app, code)])
    expect(refusalOf(answer)).toEqual([401, 'invalid_client']);
  expect(await grants.allowDevice(device.user_code, accountId)).toBe(false);
  const request = { response_type: 'code', client_id: app.client_id, redirect_uri: CALLBACK };
  expect(await read(request)).toMatchObject({ kind: 'error-page' });
});

describe('the apps of an account', () => {
  it('are those with tokens in force, by their names', async () => {
    const { grants, accountId, makeApp, tokensOf, refresh } = await openWorld(db);
    const make = (name: string) => makeApp({ name });
    const [zebra, ant, unused] = [await make('Zebra'), await make('ant'), await make('Unused')];
    const first = await tokensOf(zebra);
    await tokensOf(zebra);
    await tokensOf(ant);
    await refresh(zebra, first.refresh_token);
    const apps = await grants.listAuthorisedApps(accountId);
    expect(apps).toEqual([
      { clientId: ant.client_id, name: 'ant', since: expect.any(Date), lastUsed: expect.any(Date) },
      { clientId: zebra.client_id, name: 'Zebra', since: expect.any(Date), lastUsed: expect.any(Date) },
    ]);
    expect(apps[1]!.lastUsed.getTime()).toBeGreaterThan(apps[1]!.since.getTime());
    expect(apps.map(({ clientId }) => clientId)).not.toContain(unused.client_id);
    expect(await grants.listAuthorisedApps(await makeAccount(db))).toEqual([]);
    await passTime(db, 7200 + 367 * 86_400);
    expect(await grants.listAuthorisedApps(accountId)).toEqual([]);
  });

  it('are each listed once, with the first and the latest of many grants', async () => {
    const { grants, accountId, makeApp, tokensOf } = await openWorld(db);
    const [ant, bee] = [await makeApp({ name: 'ant' }), await makeApp({ name: 'bee' })];
    for (const app of [ant, bee, ant, bee, ant]) await tokensOf(app);
    await run`
      update token_families set created_at = now() - interval '3 days', issued_at = now() - interval '2 days'
      where handle = (select min(handle) from token_families where client_id = ${ant.client_id})
    `;
    const apps = await grants.listAuthorisedApps(accountId);
    expect(apps.map(({ name }) => name)).toEqual(['ant', 'bee']);
    const [{ since, lastUsed }] = apps as [AuthorisedApp];
    expect(Math.round((lastUsed.getTime() - since.getTime()) / 86_400_000)).toBe(3);
  });

  it('are at most 100, those that were used last', async () => {
    const { grants, accountId, makeApp, tokensOf } = await openWorld(db);
    const app = await makeApp({ name: 'Early' });
    await tokensOf(app);
    await run`
      with made as (
        insert into apps (client_id, account_id, name, allows_device)
        select 'app_of_many_' || number, ${accountId}, 'App ' || number, false from generate_series(1, 100) as number
        returning client_id
      )
      insert into token_families (client_id, account_id, handle, refresh_token, access_token, access_expires_at)
      select client_id, ${accountId}, sha256(client_id::bytea), sha256(('r' || client_id)::bytea),
        sha256(('a' || client_id)::bytea), now() + interval '1 hour'
      from made
    `;
    const apps = await grants.listAuthorisedApps(accountId);
    expect(apps).toHaveLength(100);
    expect(apps.map(({ name }) => name)).not.toContain('Early');
  });

  it('end with all their tokens, codes and devices, and others do not', async () => {
    const { grants, accountId, makeApp, tokensOf, codeOf, deviceOf, exchange, refresh, poll, askAccount } =
      await openWorld(db);
    const [app, other] = [await makeApp(), await makeApp()];
    const [tokens, kept] = [await tokensOf(app), await tokensOf(other)];
    const [code, device] = [await codeOf(app), await deviceOf(app)];
    await grants.allowDevice(device.user_code, accountId);
    expect(await grants.revokeAuthorisedApp(await makeAccount(db), app.client_id)).toBe(false);
    expect((await askAccount(tokens.access_token)).statusCode).toBe(200);
    expect(await grants.revokeAuthorisedApp(accountId, app.client_id)).toBe(true);
    expect((await askAccount(tokens.access_token)).statusCode).toBe(403);
    expect(refusalOf(await refresh(app, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(refusalOf(await exchange(app, code))).toEqual([400, 'invalid_grant']);
    expect(refusalOf(await poll(app, device.device_code))).toEqual([400, 'invalid_grant']);
    expect((await askAccount(kept.access_token)).statusCode).toBe(200);
    expect(await grants.revokeAuthorisedApp(accountId, app.client_id)).toBe(false);
  });
});

describe('the audit log of the account', () => {
  const COLUMNS = ['actor', 'actor_name', 'action', 'subject_id', 'subject_name', 'details'] as const;
  const deedsOf = async (accountId: string) =>
    (await auditOf(db, accountId, ...COLUMNS)).filter(({ action }) => action !== 'app.create');

  it('has every decision, once', async () => {
    const { grants, request, accountId, client, deviceOf } = await openRequest();
    const devices = [await deviceOf(client), await deviceOf(client)];
    const codes = devices.map(({ user_code }) => user_code) as [string, string];
    await grants.allow(request, accountId);
    await grants.deny(request, accountId);
    await Promise.all([1, 2, 3].map(() => grants.allowDevice(codes[0], accountId)));
    await Promise.all([1, 2, 3].map(() => grants.denyDevice(codes[1], accountId)));
    await Promise.all([1, 2, 3].map(() => grants.revokeAuthorisedApp(accountId, client.client_id)));
    const actor = { actor: 'owner', actor_name: `${accountId}@example.com` };
    const subject = { subject_id: client.client_id, subject_name: 'Newsletter' };
    const row = (action: string, details: object) => ({ ...actor, action, ...subject, details });
    expect(await deedsOf(accountId)).toEqual([
      row('app.allow', { flow: 'code' }),
      row('app.deny', { flow: 'code' }),
      row('app.allow', { flow: 'device' }),
      row('app.deny', { flow: 'device' }),
      row('app.remove', {}),
    ]);
  });

  it('has nothing of a decision that came too late', async () => {
    const { grants, request, accountId, client, deviceOf } = await openRequest();
    const { user_code } = await deviceOf(client);
    await deleteApp(db, client.client_id);
    expect((await grants.allow(request, accountId)).kind).toBe('error-page');
    expect(await grants.allowDevice(user_code, accountId)).toBe(false);
    expect(await grants.revokeAuthorisedApp(accountId, client.client_id)).toBe(false);
    expect(await deedsOf(accountId)).toEqual([]);
    await deleteAccount(db, accountId);
    expect((await grants.deny(request, accountId)).kind).toBe('redirect');
  });
});
