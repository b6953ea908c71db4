/** What `/oauth/authorize` takes, and what gets an error page. */
import { afterAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { CALLBACK, CHALLENGE, ISSUER, openWorld, VERIFIER } from '../world.ts';

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());

async function open(redirectUris: readonly string[] = [CALLBACK]) {
  const world = await openWorld(db);
  const { client_id } = await world.makeApp({ redirectUris });
  const right = { response_type: 'code', client_id, redirect_uri: redirectUris[0] ?? CALLBACK };
  return {
    ...world,
    right,
    ask: (change: Record<string, string> = {}) => world.read({ ...right, ...change }),
  };
}

it('names the app, and keeps what the redirect needs', async () => {
  const { ask, right } = await open();
  expect(await ask({ state: 'x y&z=ü\n', scope: 'all', unknown: 'ignored' })).toEqual({
    kind: 'ask',
    app: { clientId: right.client_id, name: 'Newsletter' },
    scope: 'all',
    redirectUri: CALLBACK,
    state: 'x y&z=ü\n',
    challenge: undefined,
    issuer: ISSUER,
  });
});

it('keeps the S256 form of every challenge', async () => {
  const { ask } = await open();
  const challenges = [
    { code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    { code_challenge: VERIFIER, code_challenge_method: 'plain' },
  ];
  for (const challenge of challenges) expect(await ask(challenge)).toMatchObject({ challenge: CHALLENGE });
  expect(await ask({ code_challenge: 'a'.repeat(128), code_challenge_method: 'S256' })).toMatchObject({
    challenge: 'a'.repeat(128),
  });
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
    [
      'invalid_request',
      { code_challenge: CHALLENGE, code_challenge_method: 's256' },
      'code_challenge_method',
    ],
    [
      'invalid_request',
      { code_challenge: CHALLENGE, code_challenge_method: 'S512' },
      'code_challenge_method',
    ],
    ['invalid_request', { code_challenge: 'a'.repeat(42), code_challenge_method: 'S256' }, 'code_challenge'],
    [
      'invalid_request',
      { code_challenge: 'a'.repeat(129), code_challenge_method: 'plain' },
      'code_challenge',
    ],
    ['invalid_request', { code_challenge: `${CHALLENGE}=`, code_challenge_method: 'S256' }, 'code_challenge'],
    ['invalid_request', { client_id: 'a\0b' }, 'client_id'],
  ])('says %s for %j', async (error, change, named) => {
    const { ask } = await open();
    expect(await ask(change)).toEqual({
      kind: 'error-page',
      error,
      message: expect.stringContaining(named),
    });
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
