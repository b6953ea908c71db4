import { expect, it } from 'vitest';
import { findAccountById } from '../../../../src/service/people/accounts/account-store.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService, storeKey } from '../../support/stored-service.ts';
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
const SETTINGS = '/dashboard/settings';
const DELETE = 'Delete this account';

const signIn = async (person: Person) => (await new Visitor(app).signIn(person)).open(SETTINGS);
const isThere = async ({ id }: Person) => (await findAccountById(db, id)) !== undefined;

it('deletes the account for everybody, at once, and tells the members', async () => {
  const owner = await makePerson(db);
  const member = await makeMember(db, owner.id, 'admin');
  const { key } = await storeKey(db, owner.id, { kind: 'private' });
  const [visitor, other] = [await signIn(owner), await signIn(member)];
  expect(other.has(DELETE)).toBe(false);
  await (
    await visitor.press(DELETE, { 'Address of the account': ` ${owner.email.toUpperCase()} ` })
  ).follow();
  expect(visitor.status).toBe(200);
  expect(visitor.document.querySelector('.done')?.textContent).toContain('The account was deleted.');
  expect(await isThere(owner)).toBe(false);
  const answer = await app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${key}` } });
  expect(answer.statusCode).toBe(403);
  await other.open('/dashboard/');
  expect([other.status, other.text.includes('You have no account')]).toEqual([403, true]);
  const told = await (await new Visitor(app).signIn(member)).open('/dashboard/security');
  expect(told.text).toContain(`Your membership of ${owner.email} was ended. ${owner.email} did it.`);
});

it('deletes nothing for another address, and says what it expected', async () => {
  const owner = await makePerson(db);
  const visitor = await signIn(owner);
  for (const account of ['', 'somebody@example.com', '\0', '<b>x']) {
    await visitor.open(SETTINGS);
    await visitor.press(DELETE, { 'Address of the account': account });
    expect([visitor.status, visitor.document.querySelector('.problem')?.textContent]).toEqual([
      422,
      `Expected ${owner.email}, the address of this account, got something else. Nothing was deleted.`,
    ]);
  }
  expect(await isThere(owner)).toBe(true);
});

it('asks for the password some time after the sign-in, and then deletes the account', async () => {
  const owner = await makePerson(db);
  const visitor = await signIn(owner);
  await letAnHourPass(db, owner);
  await visitor.press(DELETE, { 'Address of the account': owner.email });
  expect(visitor.status).toBe(403);
  expect(visitor.text).toContain('To delete this account');
  expect(await isThere(owner)).toBe(true);
  await visitor.press('Continue', { Password: PASSWORD });
  expect([visitor.location, await isThere(owner)]).toEqual(['/dashboard/account?done=deleted#said', false]);
});
