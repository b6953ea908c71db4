import { expect, it } from 'vitest';
import { readLedger } from '../../../../src/service/credits/credit-store.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import * as accounts from '../../../../src/service/people/accounts/account-store.ts';
import { createAccount } from '../../../../src/service/people/members/create-account.ts';
import { testDatabase } from '../../support/database.ts';

const { db } = await testDatabase();

async function create(email: string, credits?: number): Promise<accounts.AccountSummary> {
  const made = await createAccount(db, { email, passwordHash: 'scrypt', ...(credits && { credits }) });
  if (typeof made === 'string') throw new Error(`Expected a new account for ${email}.`);
  return made;
}

it('creates an account with credits that the ledger explains', async () => {
  const made = await create('Ada@Example.com', 100);
  expect(made).toEqual({
    id: expect.stringMatching(/^acc_[0-9a-f]{24}$/),
    owner_email: 'Ada@Example.com',
    available_credits: 100,
  });
  expect(await readLedger(db, made.id, 10)).toEqual([
    { amount: 100, why: 'top-up', of: null, balance: 100, at: expect.any(Date) },
  ]);
  const found = await accounts.findAccountById(db, made.id);
  expect(found).toMatchObject({ ...made, password_hash: '', verify_per_second: null, batch_size: null });
  const [secret] = await accounts.findCallbackSecrets(db, made.id);
  expect(Buffer.from(secret!.slice('whsec_'.length), 'base64')).toHaveLength(32);
});

it('creates an account without credits and without a ledger row', async () => {
  const made = await create('empty@example.com');
  expect(made.available_credits).toBe(0);
  expect(await readLedger(db, made.id, 10)).toEqual([]);
});

it('refuses a second account in another case, also when both come at once', async () => {
  const attempts = ['Grace@example.com', 'GRACE@EXAMPLE.COM', 'grace@example.com'].map((email) =>
    createAccount(db, { email, passwordHash: 'scrypt', credits: 5 }),
  );
  const results = await Promise.all(attempts);
  expect(results.filter((result) => result === 'exists')).toHaveLength(2);
  expect(await accounts.findAccountByEmail(db, 'gRACE@example.com')).toMatchObject({ available_credits: 5 });
});

it('ignores the case of letters beyond ASCII', async () => {
  const made = await create('Ärger@bücher.example');
  expect(await accounts.findAccountByEmail(db, 'äRGER@BÜCHER.example')).toMatchObject({ id: made.id });
  // The same letters, with the dots as characters of their own.
  const decomposed = 'Ärger@bücher.example'.normalize('NFD');
  expect(await accounts.findAccountByEmail(db, decomposed)).toMatchObject({ id: made.id });
});

it('finds nothing for unknown accounts', async () => {
  expect(await accounts.findAccountByEmail(db, 'nobody@example.com')).toBeUndefined();
  expect(await accounts.findAccountById(db, 'acc_0')).toBeUndefined();
  expect(await accounts.setAccountLimits(db, 'acc_0', { batch_size: 1 })).toBeUndefined();
  expect(await deleteAccount(db, 'acc_0')).toBe(false);
});

it('changes only the limits that are given, and can reset them', async () => {
  const { id } = await create('limits@example.com');
  await accounts.setAccountLimits(db, id, { verify_per_second: 3, batch_size: 70_000 });
  const limits = {
    ...{ verify_per_second: 3, batch_per_second: 9, account_per_second: null, batch_size: 70_000 },
    ...{ stored_entries: null, open_batches: null },
  };
  expect(await accounts.setAccountLimits(db, id, { batch_per_second: 9 })).toEqual(limits);
  const reset = { batch_size: null };
  expect(await accounts.setAccountLimits(db, id, reset)).toEqual({ ...limits, ...reset });
  expect(await accounts.findAccountById(db, id)).toMatchObject({ verify_per_second: 3, batch_size: null });
});

it('deletes an account with its ledger', async () => {
  const { id } = await create('gone@example.com', 5);
  expect(await deleteAccount(db, id)).toBe(true);
  expect(await accounts.findAccountByEmail(db, 'gone@example.com')).toBeUndefined();
  expect(await readLedger(db, id, 10)).toEqual([]);
});

it('lists accounts, the oldest first', async () => {
  const listed = await accounts.listAccounts(db);
  const emails = listed.map(({ owner_email }) => owner_email);
  expect(emails.indexOf('Ada@Example.com')).toBe(0);
  expect(emails).toContain('empty@example.com');
  expect(Object.keys(listed[0]!)).toEqual(['id', 'owner_email', 'available_credits']);
});

it('undoes everything with the transaction of the caller', async () => {
  const attempt = db.transaction().execute(async (transaction) => {
    await createAccount(transaction, { email: 'undone@example.com', passwordHash: 'x', credits: 1 });
    throw new Error('undo');
  });
  await expect(attempt).rejects.toThrow('undo');
  expect(await accounts.findAccountByEmail(db, 'undone@example.com')).toBeUndefined();
});

it('rolls no callback secret of an account that was deleted meanwhile', async () => {
  const { id } = await create('rolled@example.com');
  await deleteAccount(db, id);
  await accounts.rollCallbackSecret(db, id);
  expect(await accounts.findAccountById(db, id)).toBeUndefined();
});
