import { expect, it } from 'vitest';
import { findAccountByEmail } from '../../../../src/service/people/accounts/account-store.ts';
import { createAccount } from '../../../../src/service/people/members/create-account.ts';
import { membershipsOf, roleOf, setMember } from '../../../../src/service/people/members/member-store.ts';
import { createPerson, findPersonByEmail } from '../../../../src/service/people/persons/person-store.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const { db } = database;

let count = 0;
const newAddress = () => {
  count += 1;
  return `Person-${count}@example.com`;
};

async function personOf(email: string) {
  const found = await findPersonByEmail(db, email);
  return found && { ...found, accounts: await membershipsOf(db, found.id) };
}

it('makes the person who owns the account', async () => {
  const email = newAddress();
  const made = await createAccount(db, { email, passwordHash: 'a hash' });
  if (typeof made === 'string') throw new Error(made);
  expect(await personOf(email.toLowerCase())).toMatchObject({
    ...{ id: expect.stringMatching(/^per_[0-9a-f]{24}$/), email, password_hash: 'a hash' },
    accounts: [{ accountId: made.id, ownerEmail: email, role: 'owner' }],
  });
});

it('never takes or changes a person who was not expected, in any case of the letters', async () => {
  const email = newAddress();
  await createPerson(db, { email, passwordHash: 'their hash' });
  expect(await createAccount(db, { email: email.toUpperCase(), passwordHash: 'another' })).toBe(
    'person-exists',
  );
  expect(await personOf(email)).toMatchObject({ password_hash: 'their hash', accounts: [] });
  expect(await findAccountByEmail(db, email)).toBeUndefined();
});

it('takes the person who has the address, if it should, and keeps the password', async () => {
  const email = newAddress();
  expect(await createAccount(db, { email, passwordHash: undefined })).toBe('no-person');
  await createPerson(db, { email, passwordHash: 'their hash' });
  expect(await createAccount(db, { email, passwordHash: undefined, credits: 3 })).toMatchObject({
    available_credits: 3,
  });
  expect(await personOf(email)).toMatchObject({
    password_hash: 'their hash',
    accounts: [{ ownerEmail: email, role: 'owner' }],
  });
});

it('leaves no person behind without an account, also within the transaction of the caller', async () => {
  const email = newAddress();
  await createAccount(db, { email, passwordHash: 'x' });
  const again = await db
    .transaction()
    .execute((transaction) => createAccount(transaction, { email: email.toUpperCase(), passwordHash: 'y' }));
  expect(again).toBe('exists');
  expect(await personOf(email)).toMatchObject({ password_hash: 'x', accounts: [{ role: 'owner' }] });
});

it('makes one account and one person of several calls at once, on connections of their own', async () => {
  const email = newAddress();
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      createAccount(database.connect(1), { email, passwordHash: `hash ${index}` }),
    ),
  );
  const [account, ...more] = made.filter((each) => typeof each !== 'string');
  expect([more, made.filter((each) => typeof each === 'string')]).toEqual([[], Array(5).fill('exists')]);
  expect((await personOf(email))!.accounts).toEqual([
    { accountId: account!.id, ownerEmail: email, role: 'owner' },
  ]);
});

it('finds the accounts of a person in the order in which they were joined, and the role in each', async () => {
  const [own, other] = await Promise.all(
    [newAddress(), newAddress()].map((email) => createAccount(db, { email, passwordHash: 'x' })),
  );
  if (typeof own !== 'object' || typeof other !== 'object') throw new Error('Expected new accounts.');
  const { id } = (await findPersonByEmail(db, own.owner_email))!;
  await setMember(db, other.id, id, 'viewer');
  expect((await membershipsOf(db, id)).map(({ role }) => role)).toEqual(['owner', 'viewer']);
  await setMember(db, other.id, id, 'admin');
  expect([await roleOf(db, other.id, id), await roleOf(db, 'acc_0', id)]).toEqual(['admin', undefined]);
});
