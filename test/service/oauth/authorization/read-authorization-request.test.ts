/** What `/oauth/authorize` takes, and what gets an error page. */
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { CALLBACK, CHALLENGE, ISSUER, openWorld, VERIFIER } from '../world.ts';

const { db } = await testDatabase();

async function open(redirectUris: readonly string[] = [CALLBACK], isPublic = false) {
  const world = await openWorld(db);
  const { client_id } = await world.makeApp({ redirectUris, isPublic });
  const right = { response_type: 'code', client_id, redirect_uri: redirectUris[0] ?? CALLBACK };
  const ask = (change: Record<string, string> = {}) => world.read({ ...right, ...change });
  return { ...world, right, ask };
}

const challengeOf = (code_challenge: string, code_challenge_method: string) => ({
  ...{ code_challenge, code_challenge_method },
});

it('names the app, and keeps what the redirect needs', async () => {
  const { ask, right, accountId } = await open();
  expect(await ask({ state: 'x y&z=ü\n', scope: 'all', unknown: 'ignored' })).toEqual({
    kind: 'ask',
    app: { clientId: right.client_id, name: 'Newsletter', owner: `${accountId}@example.com` },
    scope: 'all',
    ...{ redirectUri: CALLBACK, registeredUri: CALLBACK },
    state: 'x y&z=ü\n',
    challenge: undefined,
    issuer: ISSUER,
  });
});

it('keeps the S256 form of every challenge', async () => {
  const { ask } = await open();
  for (const challenge of [challengeOf(CHALLENGE, 'S256'), challengeOf(VERIFIER, 'plain')])
    expect(await ask(challenge)).toMatchObject({ challenge: CHALLENGE });
  const long = 'a'.repeat(128);
  expect(await ask(challengeOf(long, 'S256'))).toMatchObject({ challenge: long });
});

it('ignores a method without a challenge, and treats an empty parameter as left out', async () => {
  const { ask } = await open();
  expect(await ask({ code_challenge_method: 'S256' })).toMatchObject({ challenge: undefined });
  expect(await ask({ code_challenge_method: 'other' })).toMatchObject({ kind: 'ask' });
  expect(await ask({ state: '', scope: '' })).toMatchObject({ kind: 'ask', state: undefined });
});

describe('an error page', () => {
  it.each([
    ['invalid_request', { response_type: '' }, 'response_type'],
    ['invalid_request', { response_type: 'token' }, 'response_type'],
    ['invalid_request', { response_type: 'code token' }, 'response_type'],
    ['invalid_request', { client_id: '' }, 'client_id'],
    ['invalid_request', { redirect_uri: '' }, 'redirect_uri'],
    ['invalid_client', { client_id: 'unknown_client' }, 'client_id'],
    ['invalid_client', { client_id: "'; drop table apps" }, 'client_id'],
    ['invalid_scope', { scope: 'admin' }, 'scope'],
    ['invalid_scope', { scope: 'all admin' }, 'scope'],
    ['invalid_request', { code_challenge: CHALLENGE }, 'code_challenge_method'],
    ['invalid_request', challengeOf(CHALLENGE, 's256'), 'code_challenge_method'],
    ['invalid_request', challengeOf(CHALLENGE, 'S512'), 'code_challenge_method'],
    ['invalid_request', challengeOf('a'.repeat(42), 'S256'), 'code_challenge'],
    ['invalid_request', challengeOf('a'.repeat(129), 'plain'), 'code_challenge'],
    ['invalid_request', challengeOf(`${CHALLENGE}=`, 'S256'), 'code_challenge'],
    ['invalid_request', { client_id: 'a\0b' }, 'client_id'],
  ])('says %s for %j', async (error, change, named) => {
    const { ask } = await open();
    expect(await ask(change)).toEqual({ kind: 'error-page', error, message: expect.stringContaining(named) });
  });

  it('says invalid_request for a parameter that comes twice', async () => {
    const { grants, right } = await open();
    const names = [...Object.keys(right), 'state', 'scope', 'code_challenge', 'code_challenge_method'];
    for (const name of names) {
      const query = new Map(Object.entries(right).map(([known, value]) => [known, [value]]));
      query.set(name, ['x', 'x']);
      const page = await grants.readAuthorizationRequest(query, ISSUER);
      expect(page).toMatchObject({ kind: 'error-page', error: 'invalid_request' });
    }
  });

  it('says unauthorized_client for an app without a redirect URI', async () => {
    const { ask } = await open([]);
    expect(await ask()).toMatchObject({ kind: 'error-page', error: 'unauthorized_client' });
  });

  /** Each is read by some parser as the registered one, or leads to a page next to it. */
  it.each([
    'https://app.example/callback/',
    'https://app.example/callback?',
    'https://app.example/callback?next=1',
    'https://app.example/callback#',
    'https://app.example/callback#fragment',
    'https://app.example/callback/../callback',
    'https://app.example/callback/%2e%2e/evil',
    'https://app.example/Callback',
    'https://APP.example/callback',
    'HTTPS://app.example/callback',
    'http://app.example/callback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'https://app.example./callback',
    'https://app.example/%63allback',
    'https://app.example%2Fcallback',
    'https://app.example@evil.example/callback',
    'https://evil.example/callback',
    'https://app.example.evil.example/callback',
    'https://evilapp.example/callback',
    'https://evil.example/https://app.example/callback',
    'https://app.example\\@evil.example/callback',
    'https:/app.example/callback',
    '//app.example/callback',
    '/callback',
    ' https://app.example/callback',
    'https://app.example/callback ',
    'https://app.example/callback\t',
    'https://app.example/callback\n',
    'https://app.example/callbacK',
    'https://app.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'urn:ietf:wg:oauth:2.0:oob',
    'urn:ietf:wg:oauth:2.0:oob:auto',
  ])('says invalid_redirect_uri for %j', async (redirect_uri) => {
    const { ask } = await open();
    expect(await ask({ redirect_uri })).toMatchObject({ kind: 'error-page', error: 'invalid_redirect_uri' });
  });

  it('says so for the same URI of another app', async () => {
    const { ask, makeApp } = await open();
    await makeApp({ redirectUris: ['https://other.example/callback'] });
    const page = await ask({ redirect_uri: 'https://other.example/callback' });
    expect(page).toMatchObject({ kind: 'error-page', error: 'invalid_redirect_uri' });
  });
});

describe('a public app', () => {
  const S256 = challengeOf(CHALLENGE, 'S256');

  it('gets an error page without a challenge, and with a plain one', async () => {
    const { ask } = await open([CALLBACK], true);
    const halves = [{}, { code_challenge_method: 'S256' }, { code_challenge: VERIFIER }];
    const wrong = [...halves, challengeOf(VERIFIER, 'plain'), challengeOf(CHALLENGE, 's256')];
    const said = /^Expected a code_challenge with the code_challenge_method S256, .*, got /;
    const page = { kind: 'error-page', error: 'invalid_request', message: expect.stringMatching(said) };
    for (const change of wrong) expect(await ask(change)).toEqual(page);
    expect(await ask(S256)).toMatchObject({ kind: 'ask', challenge: CHALLENGE });
  });

  it('may use any port of 127.0.0.1 and [::1], and nothing else may differ', async () => {
    const registered = ['http://127.0.0.1/cb?x=1', 'http://[::1]:8000/cb', 'http://localhost:8000/cb'];
    const { ask } = await open(registered, true);
    const judge = async (redirect_uri: string) => (await ask({ ...S256, redirect_uri })).kind;
    for (const [sent, registeredUri] of [
      ['http://127.0.0.1:51004/cb?x=1', registered[0]],
      ['http://127.0.0.1/cb?x=1', registered[0]],
      ['http://[::1]:1/cb', registered[1]],
      ['http://[::1]/cb', registered[1]],
    ] as const)
      expect(await ask({ ...S256, redirect_uri: sent })).toMatchObject({ redirectUri: sent, registeredUri });
    for (const sent of [
      ...['http://127.0.0.1:51004/cb', 'http://127.0.0.1:51004/cb?x=1&y=2', 'http://127.0.0.1:51004/cb/?x=1'],
      ...['https://127.0.0.1:51004/cb?x=1', 'http://127.0.0.2:51004/cb?x=1', 'HTTP://127.0.0.1:51004/cb?x=1'],
      ...['http://127.0.0.1:99999/cb?x=1', 'http://127.0.0.1:/cb?x=1', 'http://localhost:51004/cb'],
      ...['http://127.0.0.1:80@evil.example/cb?x=1', 'http://[::1]:51004/other', 'http://[::2]:51004/cb'],
    ])
      expect(await judge(sent), sent).toBe('error-page');
  });

  it('gets the code on the port that it sent, and exchanges it with that port only', async () => {
    const { makeApp, codeOf, exchange } = await openWorld(db);
    const { client_id } = await makeApp({ isPublic: true, redirectUris: ['http://127.0.0.1/cb'] });
    const sent = { redirect_uri: 'http://127.0.0.1:51004/cb' };
    const code = await codeOf({ client_id }, sent);
    const proof = { code_verifier: VERIFIER };
    for (const redirect_uri of ['http://127.0.0.1/cb', 'http://127.0.0.1:51005/cb'])
      expect((await exchange({ client_id }, code, { ...proof, redirect_uri })).statusCode).toBe(400);
    expect((await exchange({ client_id }, code, { ...proof, ...sent })).statusCode).toBe(200);
  });
});

it('compares the port of a confidential app, also on 127.0.0.1', async () => {
  const { ask } = await open(['http://127.0.0.1:8000/cb']);
  expect(await ask({ redirect_uri: 'http://127.0.0.1:8001/cb' })).toMatchObject({ kind: 'error-page' });
});
