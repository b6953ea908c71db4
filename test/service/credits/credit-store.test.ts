import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { balanceOf, changeCredits, readLedger } from '../../../src/service/credits/credit-store.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { createAccount } from '../../../src/service/people/members/create-account.ts';
import { testDatabase } from '../support/database.ts';

const test = await testDatabase();
const { db } = test;

let accountId: string;
let accounts = 0;

beforeEach(async () => {
  accounts += 1;
  const made = await createAccount(db, { email: `a${accounts}@example.com`, passwordHash: 'x', credits: 10 });
  if (typeof made === 'string') throw new Error('Expected a new account.');
  accountId = made.id;
});

it('books a change with the balance after it', async () => {
  const invoice = { amount: 5, why: 'top-up', of: 'invoice 7' } as const;
  expect(await changeCredits(db, accountId, invoice)).toEqual({ balance: 15, booked: true });
  const batch = { amount: -15, why: 'batch', of: 'b1' } as const;
  expect(await changeCredits(db, accountId, batch)).toEqual({ balance: 0, booked: true });
  expect(await balanceOf(db, accountId)).toBe(0);
  expect(await readLedger(db, accountId, 2)).toEqual([
    { ...batch, balance: 0, at: expect.any(Date) },
    { ...invoice, balance: 15, at: expect.any(Date) },
  ]);
});

it('changes nothing when the credits would fall below 0', async () => {
  expect(await changeCredits(db, accountId, { amount: -11, why: 'top-up' })).toBeUndefined();
  const verification = { amount: -11, why: 'verification', of: 'v-poor' } as const;
  expect(await changeCredits(db, accountId, verification)).toBeUndefined();
  expect(await balanceOf(db, accountId)).toBe(10);
  expect(await readLedger(db, accountId, 10)).toHaveLength(1);
});

it.each(['verification', 'refund', 'billing', 'batch'] as const)('books a %s once', async (why) => {
  const change = { amount: -1, why, of: `${why}-1` };
  expect(await changeCredits(db, accountId, change)).toEqual({ balance: 9, booked: true });
  expect(await changeCredits(db, accountId, change)).toEqual({ balance: 9, booked: false });
  const next = { ...change, of: `${why}-2` };
  expect(await changeCredits(db, accountId, next)).toEqual({ balance: 8, booked: true });
});

it('reports a change that was booked before, even if the credits are used up now', async () => {
  const change = { amount: -10, why: 'verification', of: 'v-all' } as const;
  await changeCredits(db, accountId, change);
  expect(await changeCredits(db, accountId, change)).toEqual({ balance: 0, booked: false });
});

it('books top-ups with the same note as often as they come', async () => {
  const gift = { amount: 1, why: 'top-up', of: 'gift' } as const;
  await changeCredits(db, accountId, gift);
  expect(await changeCredits(db, accountId, gift)).toEqual({ balance: 12, booked: true });
});

it('books the same change once when many connections send it together', async () => {
  const pools = [1, 2, 3, 4].map(() => test.connect(3));
  for (let round = 0; round < 10; round += 1) {
    const change = { amount: -1, why: 'verification', of: `race-${accounts}-${round}` } as const;
    const sent = [...pools, ...pools].map((pool) => changeCredits(pool, accountId, change));
    const results = await Promise.all(sent);
    expect(results.filter((result) => result?.booked)).toHaveLength(1);
    expect(results).not.toContain(undefined);
  }
  expect(await balanceOf(db, accountId)).toBe(0);
});

it('gives 10 credits to 10 of 100 debits', async () => {
  const pools = [1, 2].map(() => test.connect(10));
  const debits = Array.from({ length: 100 }, (_, index) => {
    const change = { amount: -1, why: 'verification', of: `d-${accounts}-${index}` } as const;
    return changeCredits(pools[index % 2]!, accountId, change);
  });
  const results = await Promise.all(debits);
  expect(results.filter(Boolean)).toHaveLength(10);
  expect(await balanceOf(db, accountId)).toBe(0);
});

it('passes on an error that says nothing about an equal change', async () => {
  const nothing = changeCredits(db, accountId, { amount: 0, why: 'verification', of: 'v1' });
  await expect(nothing).rejects.toMatchObject({ code: '23514' });
  expect(await balanceOf(db, accountId)).toBe(10);
});

it('knows no balance of a deleted account, also for a change that was booked before', async () => {
  const change = { amount: -1, why: 'verification', of: 'v1' } as const;
  expect(await changeCredits(db, accountId, change)).toEqual({ balance: 9, booked: true });
  await db.updateTable('accounts').set({ deleted_at: new Date() }).where('id', '=', accountId).execute();
  expect(await changeCredits(db, accountId, change)).toBeUndefined();
});

it('changes nothing for an unknown or deleted account', async () => {
  expect(await changeCredits(db, 'acc_0', { amount: 5, why: 'top-up' })).toBeUndefined();
  await deleteAccount(db, accountId);
  expect(await changeCredits(db, accountId, { amount: -1, why: 'refund', of: 'late' })).toBeUndefined();
  expect(await balanceOf(db, accountId)).toBeUndefined();
});

describe('in the transaction of the caller', () => {
  it('is undone with it', async () => {
    const attempt = db.transaction().execute(async (transaction) => {
      await changeCredits(transaction, accountId, { amount: -4, why: 'batch', of: 'undone' });
      throw new Error('undo');
    });
    await expect(attempt).rejects.toThrow('undo');
    expect(await balanceOf(db, accountId)).toBe(10);
    expect(await readLedger(db, accountId, 10)).toHaveLength(1);
  });

  it('reports a change that was booked before, and goes on', async () => {
    const change = { amount: -1, why: 'verification', of: 'again' } as const;
    await changeCredits(db, accountId, change);
    await db.transaction().execute(async (transaction) => {
      expect(await changeCredits(transaction, accountId, change)).toEqual({ balance: 9, booked: false });
      await changeCredits(transaction, accountId, { amount: 1, why: 'top-up' });
    });
    expect(await balanceOf(db, accountId)).toBe(10);
  });

  it('lets a second change wait, and numbers the rows in the order of the balances', async () => {
    const transaction = await db.startTransaction().execute();
    await changeCredits(transaction, accountId, { amount: -4, why: 'top-up' });
    const second = changeCredits(test.connect(1), accountId, { amount: -7, why: 'top-up' });
    await sql`select 1`.execute(db);
    await transaction.commit().execute();
    expect(await second).toBeUndefined();
    expect(await balanceOf(db, accountId)).toBe(6);
  });
});
