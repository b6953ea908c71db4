/** A person changes the own address on the page of security. */
import { expect, it } from 'vitest';
import { findPersonById } from '../../../../src/service/people/persons/person-store.ts';
import { testDatabase } from '../../support/database.ts';
import { forgetConfirmations, setUpApp } from '../../support/factors.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makeMember, makePerson, newAddress, PASSWORD, Visitor } from '../../support/visitor.ts';
import { doneMessage, problemOf } from '../settings/person.ts';

const { db } = await testDatabase();
const { app } = await startStoredService(db);
const SECURITY = '/dashboard/security';

async function start() {
  const person = await makePerson(db);
  const visitor = await (await new Visitor(app).signIn(person)).open(SECURITY);
  const change = (address: string, again = address, password = PASSWORD) =>
    visitor.press('Change email address', {
      ...{ 'New email address': address, 'New email address again': again, 'Your password': password },
    });
  const emailOf = async () => (await findPersonById(db, person.personId))?.email;
  return { person, visitor, change, emailOf };
}

it('changes the address, with which the person signs in from then on', async () => {
  const { person, visitor, change } = await start();
  const to = newAddress();
  await (await change(to)).follow();
  expect(doneMessage(visitor)).toContain('Your email address was changed.');
  expect(visitor.text).toContain(`You sign in as ${to}.`);
  expect((await new Visitor(app).signIn({ email: to })).status).toBe(303);
  expect((await new Visitor(app).signIn(person)).status).toBe(422);
});

it.each([
  ['no address', 'ada', 'ada', 'Expected an email address'],
  ['two that differ', newAddress(), newAddress(), 'The two addresses differ'],
])('leaves it for %s, and keeps what was typed', async (_case, address, again, why) => {
  const { person, visitor, change, emailOf } = await start();
  await change(address, again);
  expect([visitor.status, problemOf(visitor)]).toEqual([422, expect.stringContaining(why)]);
  expect(problemOf(visitor)).toContain('The address was not changed.');
  expect([visitor.valueOf('New email address'), await emailOf()]).toEqual([address, person.email]);
});

it('says of an address that another person has only that it cannot be used', async () => {
  const { person, visitor, change, emailOf } = await start();
  const other = await makeMember(db, undefined, 'viewer');
  await change(other.email);
  expect([visitor.status, problemOf(visitor)]).toEqual([
    409,
    'This address cannot be used here. Choose another one. The address was not changed.',
  ]);
  expect(await emailOf()).toBe(person.email);
});

it('takes no change without the password, however short the sign-in is ago', async () => {
  const { person, visitor, change, emailOf } = await start();
  const to = newAddress();
  await change(to, to, 'not the password');
  expect(visitor.status).toBe(422);
  expect(problemOf(visitor)).toBe('The password is wrong. The address was not changed.');
  expect(visitor.document.querySelector('[aria-invalid]')?.id).toBe('address-password');
  expect([visitor.valueOf('New email address'), visitor.valueOf('Your password')]).toEqual([to, '']);
  expect(await emailOf()).toBe(person.email);
});

it('asks for the second factor some time after the sign-in, and is filled in afterwards but for the password', async () => {
  const { person, visitor, change, emailOf } = await start();
  const to = newAddress();
  const codes = await setUpApp(db, visitor, person.personId);
  await forgetConfirmations(db);
  await visitor.open(SECURITY);
  await change(to);
  expect([visitor.status, await emailOf()]).toEqual([403, person.email]);
  await visitor.press('Continue', { 'Recovery code': codes[0]! });
  expect([visitor.valueOf('New email address'), visitor.valueOf('Your password')]).toEqual([to, '']);
  await visitor.press('Change email address', { 'Your password': PASSWORD });
  expect(await emailOf()).toBe(to);
});
