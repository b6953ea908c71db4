/** Changing the password, as a person without scripts does it. */
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../../src/service/people/accounts/password-hash.ts';
import { setPersonPassword } from '../../../../src/service/people/persons/person-store.ts';
import { CHEAP_PASSWORDS } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { forgetConfirmations } from '../../support/factors.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { PASSWORD, Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, openSecurity, problemOf } from '../settings/person.ts';

const { db } = await testDatabase();

const NEW = 'a new sentence to remember';
const change = (visitor: Visitor, current: string, next: string) =>
  visitor.press('Change password', { 'Current password': current, 'New password': next });

it('changes the password, ends all other sessions, and goes on in this browser with a new cookie', async () => {
  const { visitor, signIn } = await openSecurity(db);
  const others = [await signIn(), await signIn()];
  const before = new Map(visitor.cookies);
  await change(visitor, PASSWORD, NEW);
  expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/security?done=password#said']);
  for (const name of ['session', 'known-browser'])
    expect(visitor.cookies.get(name)).not.toBe(before.get(name));
  await visitor.open('/dashboard/security?done=password');
  expect(doneMessage(visitor)).toBe('Your password was changed. All other sessions have ended.');
  for (const other of others) expect((await other.open('/dashboard/security')).has('Sign in')).toBe(true);
});

it('lets only the new password in, and writes it into the log', async () => {
  const { visitor, newVisitor, person } = await openSecurity(db);
  await change(visitor, PASSWORD, NEW);
  expect((await newVisitor().signIn(person, PASSWORD)).status).toBe(422);
  expect((await newVisitor().signIn(person, NEW)).status).toBe(303);
  expect(await deedsOf(db, person.id)).toEqual([
    { actor: 'owner', actor_name: person.email, action: 'settings.password', details: {} },
  ]);
});

it.each([
  ['a wrong present password', 'wrong', NEW, 'The current password is wrong.'],
  ['a short one', PASSWORD, 'seven c', 'at least 8 characters'],
  ['a long one', PASSWORD, 'x'.repeat(129), 'at most 128 characters'],
  ['a common one', PASSWORD, 'Baseball1', 'one of the 100,000 most common ones'],
  ['the name of the service', PASSWORD, 'email-verification-1', 'this service is part of the password'],
  ['the old one again', PASSWORD, PASSWORD, 'must differ from the current one'],
])('leaves the password for %s, and says so', async (_case, current, next, why) => {
  const { visitor, person, newVisitor } = await openSecurity(db);
  await change(visitor, current, next);
  expect([visitor.status, problemOf(visitor)]).toEqual([422, expect.stringContaining(why)]);
  expect(problemOf(visitor)).toContain('The password was not changed.');
  expect(visitor.document.title).toMatch(/^Not changed/);
  const invalid = visitor.document.querySelector('[aria-invalid][autofocus]')!;
  expect(invalid.id).toBe(current === PASSWORD ? 'new-password' : 'current-password');
  expect([visitor.valueOf('Current password'), visitor.valueOf('New password')]).toEqual(['', '']);
  expect((await newVisitor().signIn(person, PASSWORD)).status).toBe(303);
  expect(await deedsOf(db, person.id)).toEqual([]);
});

it('does not take the email address of the person for a password, nor a form without fields', async () => {
  const { visitor, person } = await openSecurity(db);
  await change(visitor, PASSWORD, person.email.toUpperCase());
  expect(problemOf(visitor)).toContain('Your email address');
  await visitor.press('Change password', { current: null, new: null });
  expect(problemOf(visitor)).toContain('at least 8 characters');
});

it('counts wrong present passwords as guesses, and holds them back', async () => {
  const { visitor } = await openSecurity(db);
  for (let guesses = 0; guesses < 11; guesses += 1) await change(visitor, `wrong ${guesses}`, NEW);
  expect(visitor.status).toBe(429);
  expect(Number(visitor.response.headers['retry-after'])).toBeGreaterThan(0);
  await change(visitor, PASSWORD, NEW);
  expect([visitor.status, problemOf(visitor)]).toEqual([429, expect.stringContaining('too many tries')]);
});

it('changes it once when two forms are sent at once', async () => {
  const { visitor, person, signIn, newVisitor } = await openSecurity(db);
  const other = await signIn();
  await other.open('/dashboard/security');
  await Promise.all([change(visitor, PASSWORD, `${NEW} 1`), change(other, PASSWORD, `${NEW} 2`)]);
  // The later one finds another password, or no session any more.
  const statuses = [visitor.status, other.status].sort();
  expect(statuses[0]).toBe(303);
  expect([403, 422]).toContain(statuses[1]);
  const winner = visitor.status === 303 ? 1 : 2;
  expect((await newVisitor().signIn(person, `${NEW} ${winner}`)).status).toBe(303);
  expect(await deedsOf(db, person.id)).toHaveLength(1);
});

it('takes a long password from before the rules at the sign-in, and asks for no new one', async () => {
  const { person, newVisitor } = await openSecurity(db);
  const old = 'password'.repeat(100);
  await setPersonPassword(db, person.personId, await hashPassword(old, CHEAP_PASSWORDS));
  const visitor = await newVisitor().signIn(person, old);
  expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
});

it('tells the person at the next sign-in, and not in this browser', async () => {
  const { visitor, person, newVisitor } = await openSecurity(db);
  await change(visitor, PASSWORD, NEW);
  expect((await visitor.open('/dashboard/')).text).not.toContain('Changed since your last sign-in');
  const later = await newVisitor().signIn(person, NEW);
  await later.open('/dashboard/');
  expect(later.text).toContain('Changed since your last sign-in');
  expect(later.text).toContain('The password was changed. You did it.');
});

it('takes the forms of a settings page that is still open', async () => {
  const { visitor } = await openSecurity(db);
  const { sent } = visitor.formOf('Change password');
  await visitor.post('/dashboard/settings/password', { ...sent, current: PASSWORD, new: NEW });
  expect([visitor.status, visitor.location]).toEqual([308, '/dashboard/security/password']);
  await visitor.open('/dashboard/settings');
  expect(visitor.links('main a')).toContain('/dashboard/security');
});

describe('without a password', () => {
  /** In the session of a provider, a passkey or a link. */
  async function open() {
    const opened = await openSecurity(db);
    const { person, visitor } = opened;
    await db.updateTable('persons').set({ password_hash: null }).where('id', '=', person.personId).execute();
    return { ...opened, visitor: await visitor.open('/dashboard/security') };
  }

  it('sets the first one without the current one, which lets the person in', async () => {
    const { visitor, person, newVisitor } = await open();
    expect(visitor.document.querySelector('#current-password')).toBeNull();
    await visitor.press('Set password', { 'New password': NEW });
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/security?done=password#said']);
    expect((await newVisitor().signIn(person, NEW)).status).toBe(303);
    expect(await deedsOf(db, person.id)).toEqual([
      { actor: 'owner', actor_name: person.email, action: 'settings.password', details: {} },
    ]);
    expect((await visitor.open('/dashboard/security')).has('Change password')).toBe(true);
  });

  it('sets none long after the sign-in, nor an easy one', async () => {
    const { visitor, person, newVisitor } = await open();
    await visitor.press('Set password', { 'New password': 'Baseball1' });
    expect([visitor.status, problemOf(visitor)]).toEqual([422, expect.stringContaining('100,000')]);
    await forgetConfirmations(db);
    expect((await visitor.press('Set password', { 'New password': NEW })).status).toBe(403);
    expect((await newVisitor().signIn(person, NEW)).status).toBe(422);
  });

  it('sets none if the provider of single sign-on vouches for the address', async () => {
    const { settings } = await startScriptedProvider();
    const { visitor, person, newVisitor } = await open();
    const { sent } = visitor.formOf('Set password');
    const other = new Visitor((await startStoredService(db, { oidc: settings })).app);
    for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
    await other.open('/dashboard/security');
    expect(other.text).toContain('You have no password, because you sign in with Example Login.');
    await other.post('/dashboard/security/password', { ...sent, new: NEW });
    expect([other.status, problemOf(other)]).toEqual([403, expect.stringContaining('Example Login')]);
    expect((await newVisitor().signIn(person, NEW)).status).toBe(422);
  });
});
