import { expect, it } from 'vitest';
import { membershipsOf } from '../../../../src/service/people/members/member-store.ts';
import {
  createPerson,
  deletePerson,
  findPersonByEmail,
  findPersonById,
  setPersonPassword,
} from '../../../../src/service/people/persons/person-store.ts';
import { makeAccount, ownerOf } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

it('finds a person by address in any case, also beyond ASCII, and once only', async () => {
  const made = await createPerson(db, { email: 'Ärger@bücher.example', passwordHash: null });
  if (made === 'exists') throw new Error('Expected a new person.');
  const decomposed = 'äRGER@BÜCHER.example'.normalize('NFD');
  expect(await findPersonByEmail(db, decomposed)).toEqual(made);
  expect(await findPersonById(db, made.id)).toEqual(made);
  expect(await createPerson(db, { email: decomposed, passwordHash: 'x' })).toBe('exists');
  expect(await findPersonByEmail(db, 'nobody@example.com')).toBeUndefined();
});

it('replaces the password only of the hash that was checked', async () => {
  const made = await createPerson(db, { email: 'ada@example.com', passwordHash: 'one' });
  if (made === 'exists') throw new Error('Expected a new person.');
  expect(await setPersonPassword(db, made.id, 'two', 'another')).toBe(false);
  expect(await setPersonPassword(db, made.id, 'two', 'one')).toBe(true);
  expect(await setPersonPassword(db, made.id, 'three')).toBe(true);
  expect(await setPersonPassword(db, 'per_0', 'x')).toBe(false);
  expect((await findPersonById(db, made.id))!.password_hash).toBe('three');
});

it('deletes a person with the memberships, and no account', async () => {
  const accountId = await makeAccount(db);
  const { personId } = ownerOf(accountId);
  expect(await deletePerson(db, personId)).toBe(true);
  expect(await deletePerson(db, personId)).toBe(false);
  expect(await membershipsOf(db, personId)).toEqual([]);
  expect(await db.selectFrom('accounts').select('id').where('id', '=', accountId).execute()).toHaveLength(1);
});
