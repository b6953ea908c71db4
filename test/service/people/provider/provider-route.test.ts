/** Signing in through an OpenID provider that may do anything. */
import { describe, expect, it } from 'vitest';
import { putInvitation } from '../../../../src/service/people/members/invitation-store.ts';
import { listMembers, setMember } from '../../../../src/service/people/members/member-store.ts';
import { createPerson, findPersonByEmail } from '../../../../src/service/people/persons/person-store.ts';
import { PROVIDER_REFUSALS } from '../../../../src/service/people/provider/provider-refusals.ts';
import { unlinkPerson } from '../../../../src/service/people/provider/unlink-person.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { digestOf, sha256 } from '../../../../src/shared/sha256.ts';
import { auditOf } from '../../support/audit.ts';
import { dumpOf, emptyBeforeEach, testDatabase } from '../../support/database.ts';
import {
  PROVIDER_TABLES,
  type ScriptedProvider,
  startScriptedProvider,
} from '../../support/scripted-provider.ts';
import { type StoredServiceOptions, startStoredService } from '../../support/stored-service.ts';
import { isSignedIn, makePerson, PASSWORD, type Person, Visitor } from '../../support/visitor.ts';

const { db, run } = await testDatabase();
emptyBeforeEach(db, ...PROVIDER_TABLES);

type Settings = Parameters<typeof startScriptedProvider>[0];

async function start(settings: Settings = {}, options: StoredServiceOptions = {}) {
  const provider = await startScriptedProvider(settings);
  const service = await startStoredService(db, { ...options, oidc: provider.settings });
  const person = await makePerson(db);
  const claims = { sub: `sub of ${person.id}`, email: person.email, email_verified: true };
  return { ...service, provider, person, claims, visitor: () => new Visitor(service.app) };
}

/** Goes to the provider, signs in there, and comes back. */
async function comeBack(
  visitor: Visitor,
  provider: ScriptedProvider,
  claims: Readonly<Record<string, unknown>>,
  { parameters = {}, begin = '/login/oidc' }: { parameters?: object; begin?: string } = {},
): Promise<Visitor> {
  await visitor.open(begin);
  return visitor.open(provider.signIn(visitor.location!, claims, { ...parameters }));
}

/** What the page says, and whether the person is out. */
async function expectRefused(visitor: Visitor, refusal: keyof typeof PROVIDER_REFUSALS, logged?: string[]) {
  const { status, message, advice } = PROVIDER_REFUSALS[refusal];
  expect(visitor.text).toContain(message('Example Login'));
  expect(visitor.status).toBe(status);
  if (logged) expect(logged.join('\n')).toContain(JSON.stringify(advice));
  expect(await isSignedIn(visitor)).toBe(false);
}

describe('beginning', () => {
  it('leads to the provider with PKCE, a state, and a nonce, and stores none of them', async () => {
    const { visitor, provider } = await start();
    const { location, status } = await visitor().open('/login/oidc');
    expect(status).toBe(303);
    const url = new URL(location!);
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    expect(rest).toEqual({
      ...{ client_id: 'verify', response_type: 'code', scope: 'openid email', code_challenge_method: 'S256' },
      redirect_uri: 'http://localhost/login/oidc/callback',
    });
    expect([state, nonce, code_challenge].every((value) => /^[\w-]{43}$/.test(value!))).toBe(true);
    const dump = await dumpOf(db, 'provider_requests');
    expect(dump).toContain(digestOf(state!).toString('hex'));
    for (const value of [state, nonce, code_challenge]) expect(dump).not.toContain(value);
  });

  it('has a button beside the password, which leads on by a page', async () => {
    const { visitor, provider } = await start();
    const person = await visitor().open('/login?return_to=%2Fdashboard%2Fkeys');
    expect(person.valueOf('Password')).toBe('');
    await person.press('Sign in with Example Login');
    const link = person.document.querySelector('main a')!.getAttribute('href')!;
    expect(link).toContain(`${provider.issuer}/authorize?`);
    const refresh = person.document.querySelector('meta[http-equiv=refresh]')!.getAttribute('content');
    expect(refresh).toBe(`0; url=${link}`);
    expect(
      (await run`select 1 from provider_requests where return_to = '/dashboard/keys'`).rows,
    ).toHaveLength(1);
  });

  it('begins nothing for the form of another browser', async () => {
    const { visitor } = await start();
    const other = await visitor().open('/login');
    const own = await visitor().open('/login');
    await own.post('/login/oidc', other.formOf('Sign in with Example Login').sent);
    await expectRefused(own, 'state');
  });

  it('limits how many sign-ins a network begins', async () => {
    const { visitor } = await start();
    expect(
      await Promise.all(Array.from({ length: 40 }, async () => (await visitor().open('/login/oidc')).status)),
    ).toContain(429);
  });

  it('has no routes without single sign-on', async () => {
    const { app } = await startStoredService(db);
    const person = new Visitor(app);
    expect((await person.open('/login')).has('Sign in')).toBe(true);
    expect(person.text).not.toContain('Sign in with Example');
    expect((await person.open('/login/oidc')).status).toBe(404);
    expect((await person.post('/login/oidc/logout', {})).status).toBe(404);
  });
});

describe('coming back', () => {
  it('signs a person in whose address the provider has verified, and leads to the page that asked for it', async () => {
    const { visitor, provider, claims, person } = await start();
    const back = await comeBack(visitor(), provider, claims, {
      begin: '/login/oidc?return_to=%2Fdashboard%2Fkeys',
    });
    expect([back.status, back.location]).toEqual([303, '/dashboard/keys']);
    expect((await back.open('/login')).text).toContain(`You are signed in as ${person.email}.`);
  });

  it('begins a session with a new cookie', async () => {
    const { visitor, provider, claims } = await start();
    const person = await visitor().open('/login');
    const before = person.cookies.get('session');
    await comeBack(person, provider, claims);
    expect(person.cookies.get('session')).not.toBe(before);
  });

  it('finds the person by the subject afterwards, whatever the address is then', async () => {
    const { visitor, provider, claims, person } = await start();
    await comeBack(visitor(), provider, claims);
    const renamed = { sub: claims.sub, email: 'other@elsewhere.example', email_verified: false };
    const back = await comeBack(visitor(), provider, renamed);
    expect((await back.open('/login')).text).toContain(`You are signed in as ${person.email}.`);
  });

  it('reads the address from the userinfo endpoint if the ID token has none', async () => {
    const { visitor, provider, claims, person } = await start();
    provider.script = { userinfo: { email: person.email, email_verified: true } };
    const back = await comeBack(visitor(), provider, { sub: claims.sub });
    expect(await isSignedIn(back)).toBe(true);
  });

  it('leads to no other site', async () => {
    const { visitor, provider, claims } = await start();
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', '/.//evil.example']) {
      const begin = `/login/oidc?return_to=${encodeURIComponent(to)}`;
      expect((await comeBack(visitor(), provider, claims, { begin })).location).toBe('/dashboard/');
    }
  });

  it('takes a state once', async () => {
    const { visitor, provider, claims, logged } = await start();
    const person = await visitor().open('/login/oidc');
    const url = person.location!;
    expect((await person.open(provider.signIn(url, claims))).status).toBe(303);
    const again = await visitor().open(provider.signIn(url, claims));
    await expectRefused(again, 'state', logged);
    // The same browser, whose cookie is another one since the sign-in.
    await person.open(provider.signIn(url, claims));
    expect([person.status, person.text]).toEqual([403, expect.stringContaining('Dashboard')]);
  });

  it('takes a replayed redirect of the same browser for nothing', async () => {
    const { visitor, provider, claims } = await start();
    const person = await visitor().open('/login/oidc');
    const back = provider.signIn(person.location!, { ...claims, email_verified: false });
    await expectRefused(await person.open(back), 'unverified');
    await expectRefused(await person.open(back), 'state');
  });

  it('signs nobody in with the state of another browser, and leaves it to that one', async () => {
    const { visitor, provider, claims } = await start();
    const attacker = await visitor().open('/login/oidc');
    const back = provider.signIn(attacker.location!, claims);
    // The victim is led to the redirect of the attacker: login CSRF.
    const victim = await visitor().open('/login');
    await expectRefused(await victim.open(back), 'state');
    expect(await isSignedIn(await attacker.open(back))).toBe(true);
  });

  it('forgets a sign-in after ten minutes', async () => {
    const { visitor, provider, claims } = await start();
    const person = await visitor().open('/login/oidc');
    await run`update provider_requests set begun_at = begun_at - interval '11 minutes', expires_at = clock_timestamp() - interval '1 minute'`;
    await expectRefused(await person.open(provider.signIn(person.location!, claims)), 'state');
  });

  it.each([
    ['unknown', { state: makeValue() }],
    ['missing', { state: undefined }],
    ['malformed', { state: "' or 1=1" }],
  ])('refuses a state that is %s', async (_, parameters) => {
    const { visitor, provider, claims } = await start();
    await expectRefused(await comeBack(visitor(), provider, claims, { parameters }), 'state');
  });

  it('refuses a response of another issuer (mix-up)', async () => {
    const { visitor, provider, claims, logged } = await start();
    const parameters = { iss: 'https://evil.example' };
    await expectRefused(await comeBack(visitor(), provider, claims, { parameters }), 'distrusted', logged);
    // The code went nowhere.
    expect(provider.asked).not.toContain('/token');
  });

  it('refuses a response without the issuer that the metadata announces', async () => {
    const { visitor, provider, claims } = await start();
    const parameters = { iss: undefined };
    await expectRefused(await comeBack(visitor(), provider, claims, { parameters }), 'distrusted');
    expect(provider.asked).not.toContain('/token');
  });

  it.each([
    ['has no signature', { unsigned: true }],
    ['has the signature of another key', { otherKey: true }],
    ['has another nonce', { idToken: { nonce: makeValue() } }],
    ['has no nonce', { idToken: { nonce: undefined } }],
    ['is for another client', { idToken: { aud: 'another' } }],
    ['is from another issuer', { idToken: { iss: 'https://evil.example' } }],
    ['has expired', { idToken: { exp: 1 } }],
    ['was made in the future', { idToken: { iat: Math.floor(Date.now() / 1000) + 3600 } }],
    ['has no subject', { idToken: { sub: '' } }],
    ['has a subject with a line break', { idToken: { sub: 'a\nb' } }],
    ['has a session that is not a text', { idToken: { sid: { $ne: 1 } } }],
  ])('refuses an ID token that %s', async (_, script) => {
    const { visitor, provider, claims, logged } = await start();
    provider.script = script;
    await expectRefused(await comeBack(visitor(), provider, claims), 'distrusted', logged);
  });

  it('refuses a code that was begun with another verifier', async () => {
    const { visitor, provider, claims, logged } = await start();
    const person = await visitor().open('/login/oidc');
    const url = new URL(person.location!);
    url.searchParams.set('code_challenge', makeValue());
    await expectRefused(await person.open(provider.signIn(url.href, claims)), 'slow', logged);
  });

  it.each([
    ['access_denied', 'denied'],
    ['server_error', 'away'],
    ['<script>alert(1)</script>', 'denied'],
  ] as const)('says what to do after the error %s, in its own words', async (error, refusal) => {
    const { visitor, provider, claims, logged } = await start();
    const parameters = { code: undefined, error, error_description: 'Call 555-0100 now' };
    const back = await comeBack(visitor(), provider, claims, { parameters });
    expect(back.response.body).not.toContain('555-0100');
    expect(back.response.body).not.toContain('<script>');
    expect(logged.join('\n')).not.toMatch(/555-0100|<script>/);
    await expectRefused(back, refusal, logged);
  });

  it.each([
    ['a client that it does not know', { status: 401, body: '{"error":"invalid_client"}' }, 'setup'],
    ['a failure', { status: 500, body: '<h1>stack trace</h1>' }, 'away'],
    ['a text', { status: 200, body: 'hello' }, 'distrusted'],
    ['a list', { status: 200, body: '[]' }, 'distrusted'],
    ['a number as token', { status: 200, body: '{"access_token":1,"id_token":2}' }, 'distrusted'],
  ] as const)('refuses a response to the code that is %s', async (_, token, refusal) => {
    const { visitor, provider, claims } = await start();
    provider.script = { token };
    await expectRefused(await comeBack(visitor(), provider, claims), refusal);
  });

  it('logs neither the address nor the state nor the code', async () => {
    const { visitor, provider, claims, logged } = await start();
    const person = await visitor().open('/login/oidc');
    const back = provider.signIn(person.location!, { ...claims, email_verified: 'true' });
    await person.open(back);
    const { code, state } = Object.fromEntries(new URL(back, 'http://self').searchParams);
    for (const secret of [claims.email, claims.sub, code, state])
      expect(logged.join('\n')).not.toContain(secret);
  });
});

describe('linking', () => {
  it.each([
    ['false', false],
    ['the text "true"', 'true'],
    ['1', 1],
    ['missing', undefined],
  ])('refuses an address whose email_verified is %s', async (_, email_verified) => {
    const { visitor, provider, claims, logged } = await start();
    const back = await comeBack(visitor(), provider, { ...claims, email_verified });
    await expectRefused(back, 'unverified', logged);
  });

  it.each(['evil.example', 'sub.example.com', 'example.com.evil.example', 'example.org'])(
    'refuses an address at %s',
    async (domain) => {
      const { visitor, provider, claims, logged } = await start();
      const email = `someone@${domain}`;
      await createPerson(db, { email, passwordHash: null });
      await expectRefused(await comeBack(visitor(), provider, { ...claims, email }), 'domain', logged);
    },
  );

  it('is in the log of the account, and told to the person, once', async () => {
    const { visitor, provider, claims, person } = await start();
    const back = await comeBack(visitor(), provider, claims);
    expect((await back.open('/dashboard/')).text).toContain('Single sign-on was connected. You did it.');
    await comeBack(visitor(), provider, claims);
    const unlink = () => unlinkPerson(db, { ...person, id: person.personId }, { kind: 'operator' });
    expect([await unlink(), await unlink()]).toEqual([true, false]);
    const actions = await auditOf(db, person.id, 'action');
    expect(actions.map(({ action }) => action)).toEqual(['person.connect', 'person.unlink']);
    const told = await new Visitor(back.app).signIn(person);
    await told.open('/dashboard/');
    expect(told.text).toContain('Single sign-on was disconnected. The operator of this service did it.');
  });

  it('refuses a second subject with the address of a linked one', async () => {
    const { visitor, provider, claims, logged } = await start();
    await comeBack(visitor(), provider, claims);
    const back = await comeBack(visitor(), provider, { ...claims, sub: 'other' });
    await expectRefused(back, 'otherSubject', logged);
    expect(await isSignedIn(await comeBack(visitor(), provider, claims))).toBe(true);
  });

  it('says in the log whose sign-in from where was refused, in digests', async () => {
    const { app, provider, claims, logged } = await start();
    const visitor = () => new Visitor(app, { ip: '203.0.113.9' });
    const refused = () => JSON.parse(logged.filter((line) => line.includes('sign-in refused')).at(-1)!)[2];
    const email = 'nobody@example.com';
    const network = sha256('203.0.113.9').slice(0, 16);
    await comeBack(visitor(), provider, { ...claims, email });
    expect(refused()).toMatchObject({ network, person: sha256(email).slice(0, 16) });
    await comeBack(visitor(), provider, claims);
    await expectRefused(await visitor().open('/login/oidc/callback'), 'state');
    expect(refused()).toMatchObject({ network, advice: PROVIDER_REFUSALS.state.advice });
    expect(refused()).not.toHaveProperty('person');
  });

  it('links one of two subjects that come at once', async () => {
    const { visitor, provider, claims } = await start();
    const came = await Promise.all(
      ['one', 'other'].map((sub) => comeBack(visitor(), provider, { ...claims, sub })),
    );
    expect(came.map(({ status }) => status).sort()).toEqual([303, 403]);
  });

  it('refuses an unknown address', async () => {
    const { visitor, provider, claims, logged } = await start();
    const email = 'nobody@example.com';
    await expectRefused(await comeBack(visitor(), provider, { ...claims, email }), 'unknown', logged);
    expect(await findPersonByEmail(db, email)).toBeUndefined();
  });

  it('makes a person of an unknown address that somebody has invited', async () => {
    const { visitor, provider, claims, person } = await start({ only: true });
    const email = 'invited@example.com';
    await putInvitation(db, {
      ...{ id: `inv_${'1'.repeat(24)}`, accountId: person.id, email, role: 'viewer', digest: digestOf('x') },
      ...{ inviterId: person.personId, seconds: 60 },
    });
    const back = await comeBack(visitor(), provider, { ...claims, sub: 'invited', email });
    expect((await back.open('/login')).text).toContain(`You are signed in as ${email}.`);
  });

  it('takes domain and address in any case', async () => {
    const { visitor, provider, claims } = await start();
    const email = claims.email.toUpperCase();
    expect(await isSignedIn(await comeBack(visitor(), provider, { ...claims, email }))).toBe(true);
  });
});

describe('the account of the config', () => {
  const ROLES = [
    ['verify-admins', 'admin'],
    ['staff', 'member'],
  ] as const;
  const accountOf = ({ email }: Person) => ({ email, claim: 'groups', roles: ROLES });
  const roleIn = async ({ id }: Person, email: string) =>
    (await listMembers(db, id)).find((member) => member.email === email)?.role;

  async function startWith(name: string) {
    const owner = await makePerson(db);
    const started = await start({ account: accountOf(owner) });
    const email = `${name}@example.com`;
    const come = (groups: unknown, sub = `sub of ${name}`) =>
      comeBack(started.visitor(), started.provider, { sub, email, email_verified: true, groups });
    return { ...started, owner, email, come };
  }

  it('makes whoever comes first a member, with the role of the first group that fits', async () => {
    const { owner, email, come } = await startWith('newcomer');
    expect(await isSignedIn(await come(['other', 'staff', 'verify-admins']))).toBe(true);
    expect(await roleIn(owner, email)).toBe('admin');
  });

  it.each([
    ['another address', false, { email: 'mallory@example.com', email_verified: true }],
    ['no address', false, { email_verified: true }],
    ['the same address', true, undefined],
  ])(
    'signs in by an unverified address, if the userinfo endpoint has verified %s: %s',
    async (_, isIn, other) => {
      const owner = await makePerson(db);
      const { visitor, provider, claims, person } = await start({ account: accountOf(owner) });
      const userinfo = other ?? { email: person.email, email_verified: true };
      provider.script = { userinfo: { ...userinfo, groups: ['staff'] } };
      const back = await comeBack(visitor(), provider, { sub: claims.sub, email: person.email });
      if (isIn) expect(await isSignedIn(back)).toBe(true);
      else await expectRefused(back, 'unverified');
    },
  );

  it('takes one group that is not in a list', async () => {
    const { owner, email, come } = await startWith('single');
    await come('staff');
    expect(await roleIn(owner, email)).toBe('member');
  });

  it.each([
    ['no group', undefined],
    ['another group', ['else']],
    ['something else', { staff: true }],
  ])('refuses whoever comes first with %s, and keeps nothing', async (what, groups) => {
    const { come, email, logged } = await startWith(what.replaceAll(' ', '-'));
    await expectRefused(await come(groups), 'noGroup', logged);
    expect(await findPersonByEmail(db, email)).toBeUndefined();
    expect((await run`select 1 from identities`).rows).toEqual([]);
  });

  it('follows the groups at each sign-in, and ends the membership without one', async () => {
    const { owner, email, come, logged } = await startWith('moving');
    for (const [groups, role] of [
      [['staff'], 'member'],
      [['verify-admins'], 'admin'],
      [['staff'], 'member'],
    ] as const) {
      await come(groups);
      expect(await roleIn(owner, email)).toBe(role);
    }
    await expectRefused(await come([]), 'noGroup', logged);
    expect(await roleIn(owner, email)).toBeUndefined();
    await come(['staff']);
    expect(await roleIn(owner, email)).toBe('member');
  });

  it('never takes or gives the role of an owner', async () => {
    const { owner, provider, visitor, email, come } = await startWith('promoted');
    const claims = { sub: 'sub of the owner', email: owner.email, email_verified: true, groups: [] };
    expect(await isSignedIn(await comeBack(visitor(), provider, claims))).toBe(true);
    expect(await roleIn(owner, owner.email)).toBe('owner');
    await come(['staff']);
    const { id } = (await findPersonByEmail(db, email))!;
    await setMember(db, owner.id, id, 'owner');
    await come(['staff']);
    expect(await roleIn(owner, email)).toBe('owner');
    await come([]);
    expect(await roleIn(owner, email)).toBe('owner');
  });

  it('lets a person without a group into the other accounts only', async () => {
    const { owner, email, come } = await startWith('elsewhere');
    await come(['staff']);
    const other = await makePerson(db);
    await setMember(db, other.id, (await findPersonByEmail(db, email))!.id, 'viewer');
    const person = await come([]);
    expect(await roleIn(owner, email)).toBeUndefined();
    expect((await person.open('/dashboard/')).status).toBe(200);
  });

  it('says in the log that the account does not exist', async () => {
    const { visitor, provider, claims, logged } = await start({
      account: { email: 'missing@example.com', claim: 'groups', roles: ROLES },
    });
    const email = 'first@example.com';
    const back = await comeBack(visitor(), provider, { ...claims, email, groups: ['staff'] });
    await expectRefused(back, 'noAccount', logged);
  });

  it('asks for the scopes of the groups', async () => {
    const { visitor, provider } = await startWith('scopes');
    provider.script = { metadata: { scopes_supported: ['openid', 'groups'] } };
    const { location } = await visitor().open('/login/oidc');
    expect(new URL(location!).searchParams.get('scope')).toBe('openid email profile groups');
  });
});

it('has the button alone where the provider is the only way, and refuses a posted password', async () => {
  const { visitor, person, logged } = await start({ only: true });
  const visit = await visitor().open('/login');
  const buttons = [...visit.document.querySelectorAll('main button')];
  expect(buttons.map(({ textContent }) => textContent)).toEqual(['Sign in with Example Login']);
  const { sent } = visit.formOf('Sign in with Example Login');
  await visit.post('/login', { ...sent, email: person.email, password: 'correct horse battery' });
  expect(visit.status).toBe(403);
  expect(visit.text).toContain('Passwords are not accepted here.');
  const line = logged.find((one) => one.includes('"reason":"password not accepted"'))!;
  expect(line).toContain(sha256(person.email).slice(0, 16));
  expect(line).toContain('admin person sign-in-link');
  expect(await isSignedIn(visit)).toBe(false);
});

it('says after the button and on the next page that the provider cannot be reached, and asks it again later', async () => {
  const { visitor, provider, logged } = await start();
  provider.script = { status: 503 };
  const person = visitor();
  await expectRefused(await person.open('/login/oidc'), 'away', logged);
  const asked = provider.asked.length;
  expect((await person.open('/login')).text).toContain('Example Login cannot be reached at the moment.');
  expect(person.has('Sign in')).toBe(true);
  // Nobody asks again at once.
  expect(provider.asked).toHaveLength(asked);
  expect(logged.filter((line) => line.includes('provider not reached'))).toHaveLength(1);
});

/** Otherwise, whoever has typed the address would share the place of the person who signs in at the provider later. */
describe('an address that the provider vouches for', () => {
  const change = async (visitor: Visitor, address: string) => {
    await visitor.open('/dashboard/security');
    return visitor.press('Change email address', {
      ...{ 'New email address': address, 'New email address again': address, 'Your password': PASSWORD },
    });
  };

  it('is not taken by a person whom the provider does not know', async () => {
    const { visitor, person } = await start();
    const attacker = await visitor().signIn(person);
    await change(attacker, 'Colleague@EXAMPLE.com');
    expect([attacker.status, attacker.document.querySelector('.problem')!.textContent]).toEqual([
      403,
      'Addresses of this domain belong to people who sign in with Example Login. The address was not changed.',
    ]);
    expect(await findPersonByEmail(db, 'colleague@example.com')).toBeUndefined();
    // The own address in other letters, and one of another domain.
    for (const address of [person.email.toUpperCase(), `${person.id}@elsewhere.example`])
      expect((await change(attacker, address)).status).toBe(303);
  });

  it('is taken by a person whom the provider knows, whose place nobody else gets then', async () => {
    const { visitor, provider, claims } = await start();
    const known = await comeBack(visitor(), provider, claims);
    const email = `married-${claims.sub.slice(-6)}@example.com`;
    expect((await change(known, email)).status).toBe(303);
    const back = await comeBack(visitor(), provider, { ...claims, sub: 'another', email });
    await expectRefused(back, 'otherSubject');
  });

  it('has no way into an invitation but the sign-in', async () => {
    const { visitor, person, provider, claims } = await start();
    const email = 'new-colleague@example.com';
    const owner = await visitor().signIn(person);
    await owner.open('/dashboard/members');
    await owner.press('Invite', { Email: email, Role: 'viewer' });
    const link = new URL(owner.document.querySelector('#invitation-link')!.textContent!).pathname;
    const inviter = await visitor().open(link);
    expect([inviter.has('Accept'), inviter.text.includes(`Sign in as ${email}.`)]).toEqual([false, true]);
    const { sent } = (await inviter.open('/login')).formOf('Sign in');
    await inviter.post(link, { ...sent, password: 'a password of the inviter' });
    expect([inviter.status, await findPersonByEmail(db, email)]).toEqual([403, undefined]);
    const colleague = await comeBack(visitor(), provider, { ...claims, sub: 'new colleague', email });
    await (await colleague.open(link)).press('Accept');
    expect(colleague.location).toBe('/dashboard/');
  });
});
