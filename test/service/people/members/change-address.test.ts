/** Changing the address that a person signs in with. */
import { expect, it } from 'vitest';
import { changeAddress } from '../../../../src/service/people/members/change-address.ts';
import { setMember } from '../../../../src/service/people/members/member-store.ts';
import { findPersonByEmail, findPersonById } from '../../../../src/service/people/persons/person-store.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { makePerson, newAddress, type Person } from '../../support/visitor.ts';

const database = await testDatabase();
const { db } = database;
const change = ({ personId: id, email }: Person, to: string, from = db) =>
  changeAddress(from, { id, email }, to);

it('changes it, and leaves the address of the account, and each account has it in its log', async () => {
  const [person, other] = [await makePerson(db), await makePerson(db)];
  await setMember(db, other.id, person.personId, 'viewer');
  const to = newAddress();
  expect(await change(person, to)).toEqual({ kind: 'changed' });
  expect((await findPersonByEmail(db, to.toUpperCase()))?.id).toBe(person.personId);
  expect(await findPersonByEmail(db, person.email)).toBeUndefined();
  expect(await db.selectFrom('accounts').select('owner_email').where('id', '=', person.id).execute()).toEqual(
    [{ owner_email: person.email }],
  );
  for (const { id } of [person, other]) {
    expect(await auditOf(db, id, 'actor_name', 'action', 'details')).toEqual([
      { actor_name: person.email, action: 'person.address', details: { from: person.email, to } },
    ]);
  }
});

it('lets a person write the own address in another way', async () => {
  const person = await makePerson(db);
  expect(await change(person, person.email)).toEqual({ kind: 'same' });
  expect(await change(person, person.email.toUpperCase())).toEqual({ kind: 'changed' });
  expect((await findPersonById(db, person.personId))?.email).toBe(person.email.toUpperCase());
});

it('leaves it when another person has the new one, in any case, and writes nothing into the log', async () => {
  const [person, other] = [await makePerson(db), await makePerson(db)];
  expect(await change(person, other.email.toUpperCase())).toEqual({ kind: 'taken' });
  expect((await findPersonById(db, person.personId))?.email).toBe(person.email);
  expect(await auditOf(db, person.id, 'action')).toEqual([]);
});

it('slows down whoever asks which addresses persons have', async () => {
  const person = await makePerson(db);
  const kinds = [];
  for (let tries = 0; tries < 7; tries += 1) {
    const { email } = await makePerson(db);
    kinds.push((await change(person, email)).kind);
  }
  expect(kinds).toEqual([...Array(5).fill('taken'), 'paused', 'paused']);
  // Not even a free one.
  expect((await change(person, newAddress())).kind).toBe('paused');
});

it('gives an address to one of two persons who take it at the same time', async () => {
  const [one, other] = [database.connect(), database.connect()];
  for (let round = 0; round < 20; round += 1) {
    const [first, second] = [await makePerson(db), await makePerson(db)];
    const to = newAddress();
    const changed = await Promise.all([change(first, to, one), change(second, to, other)]);
    expect(changed.map(({ kind }) => kind).sort()).toEqual(['changed', 'taken']);
    const has = (await findPersonByEmail(db, to))!.id;
    expect(has).toBe(changed[0]!.kind === 'changed' ? first.personId : second.personId);
  }
});
