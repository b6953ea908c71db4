/** Changing the password, as a person without scripts does it. */
import { expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { PASSWORD, type Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, openSettings, problemOf } from './person.ts';

const { db } = await testDatabase();

const NEW = 'a new sentence to remember';
const change = (visitor: Visitor, current: string, next: string) =>
  visitor.press('Change password', { 'Current password': current, 'New password': next });

it('changes the password, ends all other sessions, and goes on in this browser with a new cookie', async () => {
  const { visitor, signIn } = await openSettings(db);
  const others = [await signIn(), await signIn()];
  const before = new Map(visitor.cookies);
  await change(visitor, PASSWORD, NEW);
  expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/settings?done=password#said']);
  for (const name of ['session', 'known-browser'])
    expect(visitor.cookies.get(name)).not.toBe(before.get(name));
  await visitor.open('/dashboard/settings?done=password');
  expect(doneMessage(visitor)).toBe('Your password was changed. All other sessions have ended.');
  for (const other of others) expect((await other.open('/dashboard/settings')).has('Sign in')).toBe(true);
});

it('lets only the new password in, and writes it into the log', async () => {
  const { visitor, newVisitor, person } = await openSettings(db);
  await change(visitor, PASSWORD, NEW);
  expect((await newVisitor().signIn(person, PASSWORD)).status).toBe(422);
  expect((await newVisitor().signIn(person, NEW)).status).toBe(303);
  expect(await deedsOf(db, person.id)).toEqual([
    { actor: 'owner', actor_name: person.email, action: 'settings.password', details: {} },
  ]);
});

it.each([
  ['a wrong present password', 'wrong', NEW, 'The current password is wrong.'],
  ['a short one', PASSWORD, 'eleven char', 'at least 12 characters'],
  ['a long one', PASSWORD, 'x'.repeat(1001), 'at most 1000 characters'],
  ['the old one again', PASSWORD, PASSWORD, 'must differ from the current one'],
])('leaves the password for %s, and says so', async (_case, current, next, why) => {
  const { visitor, person, newVisitor } = await openSettings(db);
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

it('does not take the email address of the account for a password, nor a form without fields', async () => {
  const { visitor, person } = await openSettings(db);
  await change(visitor, PASSWORD, person.email.toUpperCase());
  expect(problemOf(visitor)).toContain('must not be your email address');
  await visitor.press('Change password', { current: null, new: null });
  expect(problemOf(visitor)).toContain('at least 12 characters');
});

it('counts wrong present passwords as guesses, and holds them back', async () => {
  const { visitor } = await openSettings(db);
  for (let guesses = 0; guesses < 11; guesses += 1) await change(visitor, `wrong ${guesses}`, NEW);
  expect(visitor.status).toBe(429);
  expect(Number(visitor.response.headers['retry-after'])).toBeGreaterThan(0);
  await change(visitor, PASSWORD, NEW);
  expect([visitor.status, problemOf(visitor)]).toEqual([429, expect.stringContaining('too many tries')]);
});

it('changes it once when two forms are sent at once', async () => {
  const { visitor, person, signIn, newVisitor } = await openSettings(db);
  const other = await signIn();
  await other.open('/dashboard/settings');
  await Promise.all([change(visitor, PASSWORD, `${NEW} 1`), change(other, PASSWORD, `${NEW} 2`)]);
  // The later one finds another password, or no session any more.
  const statuses = [visitor.status, other.status].sort();
  expect(statuses[0]).toBe(303);
  expect([403, 422]).toContain(statuses[1]);
  const winner = visitor.status === 303 ? 1 : 2;
  expect((await newVisitor().signIn(person, `${NEW} ${winner}`)).status).toBe(303);
  expect(await deedsOf(db, person.id)).toHaveLength(1);
});
