import { expect, it } from 'vitest';
import { roleOf, setMember } from '../../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../../src/service/people/members/roles.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import {
  letAnHourPass,
  makeMember,
  makePerson,
  PASSWORD,
  type Person,
  Visitor,
} from '../../support/visitor.ts';

const { db } = await testDatabase();
const { app } = await startStoredService(db);
const SECURITY = '/dashboard/security';
const LEAVE = 'Leave this account';

const signIn = async (person: Person) => (await new Visitor(app).signIn(person)).open(SECURITY);

/** An account with an owner, and a member of this role at the page of security. */
async function start(role: Role) {
  const owner = await makePerson(db);
  const person = await makeMember(db, owner.id, role);
  const roleNow = () => roleOf(db, owner.id, person.personId);
  return { owner, person, visitor: await signIn(person), roleNow };
}

it.each(['owner', 'admin', 'member', 'viewer'] as const)(
  'lets a person leave who is one of several, with the role %s, and says so in the audit log',
  async (role) => {
    const { owner, person, visitor, roleNow } = await start(role);
    const other = await signIn(person);
    await (await visitor.press(LEAVE)).follow();
    expect(visitor.status).toBe(200);
    expect(visitor.document.querySelector('.done')?.textContent).toContain('You have left the account.');
    expect(await roleNow()).toBeUndefined();
    // The other browser, too, from the next request on.
    await other.open('/dashboard/');
    expect([other.status, other.text.includes('You have no account')]).toEqual([403, true]);
    await other.open(SECURITY);
    expect(other.has(LEAVE)).toBe(false);
    expect(other.text).toContain(`Your membership of ${owner.email} was ended. You did it.`);
    const log = await (await new Visitor(app).signIn(owner)).open('/dashboard/audit');
    expect(log.text).toContain(`${person.email}Left the account as a`);
  },
);

it('goes on with another account of the person', async () => {
  const { owner, person, visitor } = await start('viewer');
  const next = await makePerson(db);
  await setMember(db, next.id, person.personId, 'viewer');
  expect((await visitor.open('/dashboard/')).text).toContain(owner.email);
  await (await visitor.open(SECURITY)).press(LEAVE);
  await visitor.open('/dashboard/');
  expect(visitor.status).toBe(200);
  expect(visitor.text).toContain(next.email);
  expect(visitor.text).not.toContain(owner.email);
  // The form of the account that was left does not leave the next one.
  const { action, sent } = (await visitor.open(SECURITY)).formOf(LEAVE);
  await visitor.press(LEAVE);
  await setMember(db, owner.id, person.personId, 'viewer');
  await visitor.post(action, sent);
  expect([visitor.status, await roleOf(db, owner.id, person.personId)]).toEqual([403, 'viewer']);
});

it('keeps the only owner, and says why and what to do', async () => {
  const { owner, person } = await start('owner');
  const visitor = await signIn(owner);
  const { action, sent } = visitor.formOf(LEAVE);
  await setMember(db, owner.id, person.personId, 'admin');
  // The page that was opened before still has the button.
  await visitor.post(action, sent);
  const why = 'An account needs an owner, and you are the only one. Make another member an owner first.';
  expect(visitor.status).toBe(409);
  expect(visitor.document.querySelector('.problem')?.textContent).toBe(`${why} Nothing was changed.`);
  await visitor.open(SECURITY);
  expect([visitor.has(LEAVE), visitor.text.includes(`You cannot leave it. ${why}`)]).toEqual([false, true]);
  expect(await roleOf(db, owner.id, owner.personId)).toBe('owner');
});

it('asks for the password some time after the sign-in', async () => {
  const { person, visitor, roleNow } = await start('member');
  await letAnHourPass(db, person);
  await visitor.press(LEAVE);
  expect(visitor.status).toBe(403);
  expect(visitor.text).toContain('To leave this account');
  expect(await roleNow()).toBe('member');
  await visitor.press('Continue', { Password: PASSWORD });
  expect([visitor.location, await roleNow()]).toEqual(['/dashboard/account?done=left#said', undefined]);
});
