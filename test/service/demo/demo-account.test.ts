import { expect, it } from 'vitest';
import { DEMO_EMAIL, prepareDemoAccount } from '../../../src/service/demo/demo-account.ts';
import { sampleVerifications } from '../../../src/service/demo/demo-history.ts';
import { findAccountByEmail } from '../../../src/service/people/accounts/account-store.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';

const database = await testDatabase();
const db = database.connect();

emptyBeforeEach(db, 'accounts');

const account = async () => (await findAccountByEmail(db, DEMO_EMAIL))!;

it('gives a new account a week of sample history that ends before today', async () => {
  await prepareDemoAccount(db, false);
  const midnight = new Date(new Date().toISOString().slice(0, 10));
  const ledger = await db.selectFrom('ledger').selectAll().orderBy('id').execute();
  expect(ledger.length).toBeGreaterThan(300);
  expect(ledger.filter(({ at }) => at >= midnight)).toEqual([]);
  expect([...ledger].sort((one, other) => one.at.getTime() - other.at.getTime())).toEqual(ledger);
  const days = await db.selectFrom('daily_results').select('day').distinct().execute();
  expect(days).toHaveLength(7);
});

it('keeps the balance equal to the sum of the ledger, and gives as many credits as before', async () => {
  await prepareDemoAccount(db, false);
  let sum = 0;
  for (const { amount, balance } of await db.selectFrom('ledger').selectAll().orderBy('id').execute()) {
    sum += amount;
    expect(balance).toBe(sum);
  }
  expect([sum, (await account()).available_credits]).toEqual([10_000, 10_000]);
});

it('names everything that it makes up as a sample', async () => {
  await prepareDemoAccount(db, false);
  const batches = await db.selectFrom('batches').select(['name', 'completed_at', 'paused_at']).execute();
  expect(batches.map(({ name }) => name!.startsWith('Sample: '))).toEqual([true, true, true]);
  // No batch is worked on: its addresses belong to nobody.
  expect(batches.filter((batch) => batch.completed_at === null && batch.paused_at === null)).toEqual([]);
  const lists = await db.selectFrom('lists').select(['name', 'row_count']).execute();
  expect(lists).toContainEqual({ name: 'Sample: newsletter.csv', row_count: 127 });
});

it('leaves the history alone at the next start', async () => {
  await prepareDemoAccount(db, false);
  const count = async () => (await db.selectFrom('ledger').select('id').execute()).length;
  const first = await count();
  await prepareDemoAccount(db, true);
  expect(await count()).toBe(first);
  expect(await db.selectFrom('batches').select('id').execute()).toHaveLength(3);
});

it('has every reason as often as it says', () => {
  const made = sampleVerifications(new Date('2026-11-22'));
  const share = (reason: string) => made.filter((one) => one.reason === reason).length / made.length;
  expect(share('accepted_email')).toBeCloseTo(0.7, 1);
  expect(share('rejected_email')).toBeCloseTo(0.11, 1);
  expect(made.filter(({ isRefunded }) => isRefunded).length).toBeGreaterThan(5);
});
