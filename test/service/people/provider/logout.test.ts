/** A provider ends the sessions of people who sign out there (back-channel logout). */
import { type JWTPayload, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { EVENTS, type ScriptedProvider, startScriptedProvider } from '../../support/scripted-provider.ts';
import { type StoredService, startStoredService } from '../../support/stored-service.ts';
import { isSignedIn, makePerson, Visitor } from '../../support/visitor.ts';

const { db } = await testDatabase();
emptyBeforeEach(db, 'identities', 'provider_sessions', 'logout_tokens', 'network_counts');

async function start() {
  const provider = await startScriptedProvider();
  const service = await startStoredService(db, { oidc: provider.settings });
  return { ...service, provider };
}

/** A new person who has signed in with this session of the provider. */
async function signIn({ app, provider }: StoredService & { provider: ScriptedProvider }, sid?: string) {
  const { id, email } = await makePerson(db);
  const sub = `sub of ${id}`;
  const again = async (session = sid) => {
    const visitor = await new Visitor(app).open('/login/oidc');
    const claims = { sub, email, email_verified: true, ...(session !== undefined && { sid: session }) };
    return visitor.open(provider.signIn(visitor.location!, claims));
  };
  return { sub, again, visitor: await again() };
}

async function logOut({ ask }: StoredService, token: string) {
  const { statusCode, body, headers } = await ask({
    ...{ method: 'POST', url: '/login/oidc/logout' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token: token }).toString(),
  });
  expect(headers['cache-control']).toBe('no-store');
  return [statusCode, body] as const;
}

it('ends the sessions that came from one session of the provider', async () => {
  const service = await start();
  const { visitor, again } = await signIn(service, 'one');
  const other = await again('other');
  expect(await logOut(service, await service.provider.logoutToken({ sid: 'one' }))).toEqual([200, '']);
  expect([await isSignedIn(visitor), await isSignedIn(other)]).toEqual([false, true]);
});

it('ends all sessions of a subject, and none of others', async () => {
  const service = await start();
  const { visitor, again, sub } = await signIn(service, 'one');
  const other = await again('other');
  const stranger = await signIn(service, 'third');
  await logOut(service, await service.provider.logoutToken({ sub }));
  expect([await isSignedIn(visitor), await isSignedIn(other)]).toEqual([false, false]);
  expect(await isSignedIn(stranger.visitor)).toBe(true);
});

it('ends no session of another subject that has the same name', async () => {
  const service = await start();
  const one = await signIn(service, 'same');
  const other = await signIn(service, 'same');
  await logOut(service, await service.provider.logoutToken({ sub: one.sub, sid: 'same' }));
  expect([await isSignedIn(one.visitor), await isSignedIn(other.visitor)]).toEqual([false, true]);
});

it('keeps a session with a password', async () => {
  const service = await start();
  const { visitor, sub } = await signIn(service);
  const person = await makePerson(db);
  const own = await new Visitor(service.app).signIn(person);
  await logOut(service, await service.provider.logoutToken({ sub }));
  expect([await isSignedIn(visitor), await isSignedIn(own)]).toEqual([false, true]);
});

it('takes a token once, also if it comes twice at once', async () => {
  const service = await start();
  const { sub, again } = await signIn(service);
  const token = await service.provider.logoutToken({ sub });
  const answers = await Promise.all([logOut(service, token), logOut(service, token)]);
  expect(answers.map(([status]) => status).sort()).toEqual([200, 400]);
  const later = await again();
  expect(await logOut(service, token)).toEqual([400, expect.stringContaining('used before')]);
  expect(await isSignedIn(later)).toBe(true);
});

it('takes a token without an end, which older providers send', async () => {
  const service = await start();
  const { visitor, sub } = await signIn(service);
  const token = await service.provider.logoutToken({ sub, exp: undefined } as unknown as JWTPayload);
  expect(await logOut(service, token)).toEqual([200, '']);
  expect(await isSignedIn(visitor)).toBe(false);
});

/** Long before any token of the tests. */
const LONG_AGO = 1_600_000_000;
const FAULTS = {
  'is no logout': { events: {} },
  'has an event that is not an object': { events: { [Object.keys(EVENTS)[0]!]: null } },
  'has no events': { events: undefined },
  'is for another client': { aud: 'another' },
  'is from another issuer': { iss: 'https://evil.example' },
  'has a nonce, as an ID token has': { nonce: 'x' },
  'has no id': { jti: undefined },
  'has no time': { iat: undefined },
  'has expired': { exp: LONG_AGO },
  'is old, and has no end': { iat: LONG_AGO, exp: undefined },
  'is old, and has a late end': { iat: LONG_AGO, exp: 10 * LONG_AGO },
  'names nobody': { sub: undefined },
  'names an object': { sid: { $ne: '' } },
};

it.each(Object.entries(FAULTS))('refuses a token that %s', async (_, fault) => {
  const service = await start();
  const { sub, visitor } = await signIn(service);
  const token = await service.provider.logoutToken({ sub, ...fault } as JWTPayload);
  const refusal = expect.stringContaining('The logout token is not valid.');
  expect(await logOut(service, token)).toEqual([400, refusal]);
  expect(await isSignedIn(visitor)).toBe(true);
  expect(service.logged.join('\n')).toContain('logout token refused');
  expect(service.logged.join('\n')).not.toContain(sub);
});

it('refuses a token with a list in place of a subject, and ends no session', async () => {
  const service = await start();
  const { sub, visitor } = await signIn(service);
  const token = await service.provider.logoutToken({ sub: [sub] } as unknown as JWTPayload);
  expect((await logOut(service, token))[0]).toBe(400);
  expect(await isSignedIn(visitor)).toBe(true);
});

it('refuses other kinds of tokens, and what is no token', async () => {
  const service = await start();
  const { sub, visitor } = await signIn(service);
  const { provider } = service;
  const claims = { iss: provider.issuer, aud: 'verify', sub, jti: 'x', events: EVENTS };
  const bySecret = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .sign(Buffer.from(provider.settings.clientSecret!));
  provider.script = { otherKey: true };
  const byOther = await provider.logoutToken({ sub });
  provider.script = {};
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await provider.logoutToken({ sub })).split('.')[1]}.`;
  const ofOtherKind = await provider.logoutToken({ sub }, 'at+jwt');
  for (const token of [bySecret, byOther, unsigned, ofOtherKind, '', 'x', 'a.b.c', 'x'.repeat(20_000)])
    expect((await logOut(service, token))[0]).toBe(400);
  expect(await isSignedIn(visitor)).toBe(true);
});

it('asks the provider to send the token again if its keys cannot be read', async () => {
  const service = await start();
  const token = await service.provider.logoutToken({ sub: 'x' });
  service.provider.script = { status: 500 };
  expect((await logOut(service, token))[0]).toBe(503);
});
