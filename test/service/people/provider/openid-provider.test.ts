/** Signing in through a provider that others have written: oidc-provider, as a process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPersonByEmail } from '../../../../src/service/people/persons/person-store.ts';
import { freePort } from '../../../free-port.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { CLIENT, PROVIDER_TABLES } from '../../support/scripted-provider.ts';
import { AtProvider, type RealProvider, startOpenIdProvider } from '../../support/start-openid-provider.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { isSignedIn, makePerson, Visitor } from '../../support/visitor.ts';

const { db, run } = await testDatabase();
emptyBeforeEach(db, ...PROVIDER_TABLES);

const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const owner = await makePerson(db);
const PERSONS = {
  owner: { email: owner.email, email_verified: true, groups: [] },
  grace: { email: 'grace@example.com', email_verified: true, groups: ['staff'] },
  mallory: { email: owner.email, email_verified: 'true', groups: ['staff'] },
  impostor: { email: owner.email, email_verified: true, groups: ['staff'] },
};
let provider: RealProvider;

beforeAll(async () => {
  provider = await startOpenIdProvider({ origin, persons: PERSONS });
});
afterAll(() => provider.stop());

async function start() {
  const service = await startStoredService(db, {
    publicUrl: origin,
    oidc: {
      ...{ name: 'Example Login', issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret },
      ...{ allowedDomains: ['example.com'], only: false },
      account: { email: owner.email, claim: 'groups', roles: [['staff', 'member']] },
    },
  });
  /** The path at which the person comes back. */
  const comeFrom = async (url: string, login: string, browser = new AtProvider()) => {
    const back = new URL(await browser.signIn(url, login));
    expect(back.origin).toBe(origin);
    return back.pathname + back.search;
  };
  const signIn = async (login: string, browser = new AtProvider()) => {
    const visitor = await new Visitor(service.app).open('/login/oidc');
    return visitor.open(await comeFrom(visitor.location!, login, browser));
  };
  return { ...service, comeFrom, signIn };
}

it('signs an owner in, and makes somebody new a member by the groups', async () => {
  const { signIn } = await start();
  const first = await signIn('owner');
  expect([first.status, await isSignedIn(first)]).toEqual([303, true]);
  const other = await signIn('grace');
  expect((await other.open('/login')).text).toContain('You are signed in as grace@example.com.');
  const { id } = (await findPersonByEmail(db, 'grace@example.com'))!;
  const members = await db.selectFrom('members').selectAll().where('person_id', '=', id).execute();
  expect(members).toMatchObject([{ account_id: owner.id, role: 'member' }]);
});

describe('attacks', () => {
  it('takes a redirect once', async () => {
    const { app, comeFrom } = await start();
    const visitor = await new Visitor(app).open('/login/oidc');
    const back = await comeFrom(visitor.location!, 'owner');
    const again = visitor.copy();
    expect((await visitor.open(back)).status).toBe(303);
    expect([(await again.open(back)).status, await isSignedIn(again)]).toEqual([403, false]);
  });

  it('signs no other browser in (login CSRF)', async () => {
    const { app, comeFrom } = await start();
    const attacker = await new Visitor(app).open('/login/oidc');
    const back = await comeFrom(attacker.location!, 'grace');
    const victim = await new Visitor(app).open('/login');
    expect([(await victim.open(back)).status, await isSignedIn(victim)]).toEqual([403, false]);
  });

  it('takes no code of another sign-in (code injection)', async () => {
    const { app, comeFrom, logged } = await start();
    const victim = await new Visitor(app).open('/login/oidc');
    const stolen = new URL(origin + (await comeFrom(victim.location!, 'owner')));
    const attacker = await new Visitor(app).open('/login/oidc');
    const own = new URL(origin + (await comeFrom(attacker.location!, 'grace')));
    own.searchParams.set('code', stolen.searchParams.get('code')!);
    await attacker.open(own.pathname + own.search);
    expect([attacker.status, await isSignedIn(attacker)]).toEqual([403, false]);
    expect(logged.join('\n')).toContain('provider slow');
  });

  it('believes no address that is verified by a text, and no second subject', async () => {
    const { signIn, logged } = await start();
    expect(await isSignedIn(await signIn('mallory'))).toBe(false);
    expect(logged.join('\n')).toContain('provider unverified');
    await signIn('owner');
    expect(await isSignedIn(await signIn('impostor'))).toBe(false);
    expect(logged.join('\n')).toContain('provider otherSubject');
  });
});

it('confirms a session only by a new sign-in there', async () => {
  const { app, comeFrom } = await start();
  const browser = new AtProvider();
  const visitor = await new Visitor(app).open('/login/oidc');
  await visitor.open(await comeFrom(visitor.location!, 'grace', browser));
  await run`update sessions set authenticated_at = to_timestamp(0)`;
  await visitor.open('/dashboard/keys/new');
  await visitor.press('Confirm with Example Login');
  const url = visitor.document.querySelector('main a')!.getAttribute('href')!;
  await visitor.open(await comeFrom(url, 'grace', browser));
  expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/keys/new']);
  expect((await visitor.follow()).has('Create key')).toBe(true);
});

it('ends the session when the person signs out at the provider', async () => {
  const { app, signIn } = await start();
  await app.listen({ port, host: '127.0.0.1' });
  const browser = new AtProvider();
  const visitor = await signIn('grace', browser);
  const other = await signIn('owner');
  expect(await isSignedIn(visitor)).toBe(true);
  await browser.signOut(provider.issuer);
  await expect.poll(() => isSignedIn(visitor), PATIENTLY).toBe(false);
  expect(await isSignedIn(other)).toBe(true);
});
