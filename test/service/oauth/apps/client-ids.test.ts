/** Client ids of deleted apps. */
import { expect, it } from 'vitest';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { deleteApp } from '../../../../src/service/oauth/apps/app-store.ts';
import { createApp } from '../../../../src/service/oauth/apps/create-app.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
const { db } = database;

const make = (accountId: string, clientId: string, at = db) =>
  createApp(at, {
    ...{ accountId, clientId, name: 'Newsletter', redirectUris: ['https://app.example/cb'] },
    ...{ allowsDevice: false, isPublic: false },
  });

it('are taken for ever by the account that had them first', async () => {
  const [first, other] = [await makeAccount(db), await makeAccount(db)];
  await make(first, 'id_of_the_first');
  expect(await make(other, 'id_of_the_first')).toBe('exists');
  await deleteApp(db, 'id_of_the_first');
  expect(await make(other, 'id_of_the_first')).toBe('exists');
  expect(await make(first, 'id_of_the_first')).toMatchObject({ clientId: 'id_of_the_first' });
});

it('are given to nobody after the account was deleted', async () => {
  const [first, other] = [await makeAccount(db), await makeAccount(db)];
  await make(first, 'id_of_a_deleted_account');
  await deleteAccount(db, first);
  expect(await make(other, 'id_of_a_deleted_account')).toBe('exists');
});

it('are given to one account, however many want one at once, in two processes', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => makeAccount(db)));
  const elsewhere = database.connect();
  const made = await Promise.all(
    accounts.map((id, index) => make(id, 'id_that_all_want', index % 2 ? db : elsewhere)),
  );
  expect(made.filter((one) => one === 'exists')).toHaveLength(7);
});
