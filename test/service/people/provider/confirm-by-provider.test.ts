/** People without a password sign in at the provider again, before what a thief of the session must not do. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { setMember } from '../../../../src/service/people/members/member-store.ts';
import { createPerson, type Person } from '../../../../src/service/people/persons/person-store.ts';
import { beginRequest } from '../../../../src/service/people/provider/sign-in-request.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { dumpOf, emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makePerson, PASSWORD, Visitor } from '../../support/visitor.ts';

const { db, run } = await testDatabase();
emptyBeforeEach(db, 'identities', 'provider_requests', 'provider_sessions', 'network_counts');

const FORM = '/dashboard/apps/new';
const FIELDS = { Name: 'Newsletter & <co>', 'Redirect URIs': 'https://one.example/cb' };
const BUTTON = 'Confirm with Example Login';

let made = 0;

/** A person without a password, who has signed in through the provider a while ago. */
async function start({ only = false } = {}) {
  const provider = await startScriptedProvider({ only });
  const service = await startStoredService(db, { oidc: provider.settings });
  const owner = await makePerson(db);
  made += 1;
  const email = `single-${made}@example.com`;
  const person = (await createPerson(db, { email, passwordHash: null })) as Person;
  await setMember(db, owner.id, person.id, 'admin');
  const claims = { sub: `sub ${made}`, email, email_verified: true };
  const visitor = await new Visitor(service.app).open('/login/oidc');
  await visitor.open(provider.signIn(visitor.location!, claims));
  const wait = () => run`update sessions set authenticated_at = clock_timestamp() - interval '1 hour'`;
  await wait();
  /** The URL at the provider, after a press of the button. */
  const toProvider = async () => {
    await visitor.press(BUTTON);
    return visitor.document.querySelector('main a')!.getAttribute('href')!;
  };
  const apps = async () =>
    (await db.selectFrom('apps').select('name').where('account_id', '=', owner.id).execute()).length;
  return { ...service, provider, owner, person, claims, visitor, wait, toProvider, apps };
}

it('asks for a new sign-in at the provider, and leads back to the page', async () => {
  const { visitor, provider, claims, toProvider, apps } = await start();
  expect((await visitor.open(FORM)).text).toContain('To create an app, confirm that it is you.');
  const url = await toProvider();
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ max_age: '0', prompt: 'login' });
  await visitor.open(provider.signIn(url, claims));
  expect([visitor.status, visitor.location]).toEqual([303, FORM]);
  await visitor.follow();
  await visitor.press('Create app', FIELDS);
  expect([visitor.status, await apps()]).toEqual([200, 1]);
});

it('keeps what was typed, and makes nothing before', async () => {
  const { visitor, provider, claims, wait, toProvider, apps } = await start();
  await run`update sessions set authenticated_at = clock_timestamp()`;
  await visitor.open(FORM);
  await wait();
  await visitor.press('Create app', FIELDS);
  expect([visitor.status, await apps()]).toEqual([403, 0]);
  const url = await toProvider();
  expect(await dumpOf(db, 'provider_requests')).not.toContain(Buffer.from('Newsletter').toString('hex'));
  await visitor.open(provider.signIn(url, claims));
  expect(await apps()).toBe(0);
  await visitor.press('Continue');
  for (const [label, value] of Object.entries(FIELDS)) expect(visitor.valueOf(label)?.trim()).toBe(value);
  expect(await apps()).toBe(0);
  await visitor.press('Create app');
  expect([visitor.status, await apps()]).toEqual([200, 1]);
});

it('keeps the latest 20 forms of a person that wait, however many come at once', async () => {
  const { id: personId } = (await start()).person;
  const typed = new Map([['name', 'a long text']]);
  const begin = () => beginRequest(db, { cookie: makeValue(), returnTo: FORM, personId, typed });
  await Promise.all(Array.from({ length: 30 }, begin));
  expect(await db.selectFrom('provider_requests').select('state').execute()).toHaveLength(20);
  const { state } = await begin();
  const kept = await db.selectFrom('provider_requests').select('state').execute();
  expect(kept).toHaveLength(20);
  expect(kept.some((row) => row.state.equals(digestOf(state)))).toBe(true);
});

it('takes no word of the form that it was confirmed', async () => {
  const { visitor, apps } = await start();
  const { sent } = (await visitor.open(FORM)).formOf(BUTTON);
  const form = { ...sent, name: 'x', redirect_uris: 'https://one.example' };
  await visitor.post(FORM, { ...form, confirmed_at_provider: 'yes' });
  expect([visitor.status, await apps()]).toEqual([403, 0]);
});

/** Long before any request of the tests. */
const LONG_AGO = 1_600_000_000;

it.each([
  ['tells no time of a sign-in', { auth_time: undefined }],
  ['tells an older sign-in', { auth_time: LONG_AGO }],
  ['tells a text as the time', { auth_time: '9999999999' }],
])('refuses a provider that %s', async (_, idToken) => {
  const { visitor, provider, claims, toProvider, logged } = await start();
  await visitor.open(FORM);
  provider.script = { idToken };
  expect((await visitor.open(provider.signIn(await toProvider(), claims))).status).toBe(403);
  expect(logged.join('\n')).toContain('sign-in refused');
  expect((await visitor.open(FORM)).has(BUTTON)).toBe(true);
});

it('refuses an older sign-in also in a process whose clock is behind', async () => {
  const { visitor, provider, claims, toProvider } = await start();
  await visitor.open(FORM);
  provider.script = { idToken: { auth_time: LONG_AGO } };
  const url = await toProvider();
  vi.spyOn(Date, 'now').mockReturnValue(LONG_AGO * 1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await visitor.open(provider.signIn(url, claims))).status).toBe(403);
});

it('refuses the sign-in of another person, and leaves the session as it is', async () => {
  const { visitor, provider, person, toProvider } = await start();
  const other = await start();
  await visitor.open(FORM);
  await visitor.open(provider.signIn(await toProvider(), other.claims));
  expect([visitor.status, visitor.text]).toEqual([403, expect.stringContaining("somebody else's sign-in")]);
  expect((await visitor.open('/login')).text).toContain(person.email);
  expect((await visitor.open(FORM)).has(BUTTON)).toBe(true);
});

it('refuses a confirmation whose session has ended', async () => {
  const { visitor, provider, claims, toProvider } = await start();
  await visitor.open(FORM);
  const url = await toProvider();
  await db.deleteFrom('sessions').execute();
  expect((await visitor.open(provider.signIn(url, claims))).status).toBe(403);
});

it('asks people with a password for it, unless the provider is the only way', async () => {
  for (const only of [false, true]) {
    const { app, provider, wait } = await start({ only });
    const person = await makePerson(db);
    const visitor = await new Visitor(app).open('/login/oidc');
    const claims = { sub: person.id, email: person.email, email_verified: true };
    await visitor.open(provider.signIn(visitor.location!, claims));
    await wait();
    expect((await visitor.open(FORM)).has(BUTTON)).toBe(only);
    if (only) continue;
    expect((await visitor.press('Continue', { Password: PASSWORD })).status).toBe(303);
  }
});
