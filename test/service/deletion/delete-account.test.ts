import { sql } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import { forgetDeleted, forgetResults } from '../../../src/service/batch/batch-store.ts';
import { claimCallbacks } from '../../../src/service/batch/callbacks/callback-store.ts';
import { createBatch as begin } from '../../../src/service/batch/create-batch.ts';
import { entriesOf } from '../../../src/service/batch/entries/collected-entries.ts';
import { claimRows, finishRows } from '../../../src/service/batch/live/claim-store.ts';
import {
  deleteAccount,
  endAccount,
  forgetDeletedAccounts,
} from '../../../src/service/deletion/delete-account.ts';
import { readLeft } from '../../../src/service/deletion/deletion-store.ts';
import { forgetRows } from '../../../src/service/lists/list-store.ts';
import { findAccountByEmail, findAccountById } from '../../../src/service/people/accounts/account-store.ts';
import { createAccount } from '../../../src/service/people/members/create-account.ts';
import { inLong } from '../../in-long.ts';
import { fillAccount, refuseLargeDeletions } from '../app/old-rows.ts';
import { makeList } from '../batch/results/results.ts';
import { makeAccount } from '../support/account.ts';
import { createBatch, rowsOf } from '../support/batch.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';
import { resultOf } from '../support/result.ts';

const { db, connect } = await testDatabase();
await refuseLargeDeletions(db);

const UUID = '00000000-0000-4000-8000-000000000001';
const MANY = { most: 10, mostOfAccount: 10, mostOfReceiver: 10 };

beforeEach(async () => {
  for (const table of ['batches', 'accounts'] as const) {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}`.execute(db);
    for (const { id } of rows) await sql`delete from ${sql.table(table)} where id = ${id}`.execute(db);
  }
});

/** Ends what the deletion has left to the housekeeping. */
async function clear() {
  for (const forget of [forgetDeletedAccounts, forgetResults, forgetRows, forgetDeleted])
    while (await forget(db));
}

async function tablesLeft(): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  const tables = ['accounts', 'keys', 'key_values', 'visitors', 'apps', 'token_families', 'idempotency'];
  const ofCredits = ['daily_results', 'audit', 'ledger', 'ledger_days', 'payments', 'rates'];
  const ofResults = ['verifications', 'renewable_results', 'batches', 'batch_rows'];
  for (const table of [...tables, ...ofCredits, ...ofResults]) {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(db);
    left[table] = rows[0]!.count;
  }
  return left;
}

/** An account that the rows of `fillAccount()` need. */
async function makeOther(): Promise<void> {
  const id = await makeAccount(db);
  await sql`delete from members where account_id = ${id}`.execute(db);
  await sql`update accounts set id = 'other', email_key = 'other' where id = ${id}`.execute(db);
}

inLong('deletes an account at once, and its 6,000 rows of each kind a few at a time', async () => {
  const { id } = (await createAccount(db, { email: 'ada@example.com', passwordHash: 'x' })) as { id: string };
  await makeOther();
  await fillAccount(db, id, 6_000);
  const batch = await createBatch(db, 6_000, { accountId: id, mode: 'test' });
  await sql`
    insert into verifications (id, account_id, question, process_id, state, expires_at)
    values (${UUID}, ${id}, ${Buffer.alloc(32)}, ${UUID}, 'running', now())
  `.execute(db);
  await sql`
    insert into renewable_results (id, account_id, question, outcome, expires_at)
    values (${Buffer.alloc(32)}, ${id}, ${Buffer.alloc(32)}, 'x', now() + interval '1 hour')
  `.execute(db);
  expect(await deleteAccount(db, id, 0)).toBe(true);
  expect(await findAccountById(db, id)).toBeUndefined();
  expect(await findAccountByEmail(db, 'ada@example.com')).toBeUndefined();
  // The person stays, and can own a new one.
  const next = await createAccount(db, { email: 'ADA@example.com', passwordHash: undefined });
  expect(next).toMatchObject({ owner_email: 'ADA@example.com' });
  expect(await readLeft(db, id)).toMatchObject({
    since: expect.any(Date),
    left: { ledger: 6_000, payments: 6_000, tokens: 1_000, verifications: 1, renewals: 1, batches: 0 },
  });
  expect(await batch.status().catch(() => [])).toEqual([]);
  await clear();
  expect(await readLeft(db, id)).toBeUndefined();
  expect(await tablesLeft()).toEqual({
    ...{ accounts: 2, keys: 0, key_values: 0, visitors: 0, apps: 0, token_families: 0, idempotency: 0 },
    ...{ daily_results: 0, audit: 0, ledger: 0, ledger_days: 0, payments: 0, batches: 0, batch_rows: 0 },
    ...{ rates: 0, verifications: 0, renewable_results: 0 },
  });
});

it('leaves other accounts whole', async () => {
  const [one, other] = [await createBatch(db, 3), await createBatch(db, 3)];
  await deleteAccount(db, one.accountId);
  await clear();
  expect(await rowsOf(db, other.id)).toHaveLength(3);
  expect(await rowsOf(db, one.id)).toEqual([]);
  expect(await other.status()).toEqual([expect.any(String), 0]);
});

inLong('goes on where an interrupted deletion ended, in any process', async () => {
  const { id } = (await createAccount(db, { email: 'eve@example.com', passwordHash: 'x' })) as { id: string };
  await makeOther();
  await fillAccount(db, id, 12_000);
  await deleteAccount(db, id, 0);
  const work = async (process: typeof db) => {
    while (await forgetDeletedAccounts(process));
  };
  await Promise.all([1, 2, 3].map(() => work(connect(2))));
  expect(await tablesLeft()).toMatchObject({ accounts: 1, keys: 0, ledger: 0, audit: 0, visitors: 0 });
});

it('holds up no others while somebody has locked a deleted account', async () => {
  const [first, second] = [await makeAccount(db), await makeAccount(db)];
  for (const id of [first, second])
    await db.transaction().execute((transaction) => endAccount(transaction, id));
  const only = connect(1);
  await sql`set statement_timeout = 60000`.execute(only);
  await db.transaction().execute(async (operator) => {
    await sql`select from accounts where id = ${first} for update`.execute(operator);
    while (await forgetDeletedAccounts(only));
    expect([await readLeft(db, first), await readLeft(db, second)]).toEqual([expect.anything(), undefined]);
  });
  while (await forgetDeletedAccounts(only));
  expect(await readLeft(db, first)).toBeUndefined();
});

it('says that there is no such account, and goes on with one that is deleted already', async () => {
  expect(await deleteAccount(db, 'acc_0')).toBe(false);
  const id = await makeAccount(db);
  expect(await deleteAccount(db, id, 0)).toBe(true);
  expect(await deleteAccount(db, id)).toBe(false);
  expect(await readLeft(db, id)).toBeUndefined();
});

it('stops the batches that are under way, and their callbacks', async () => {
  const accountId = await makeAccount(db, 9);
  const open = await createBatch(db, 3, { accountId });
  const [claimed] = await claimRows(db, UUID, [{ id: open.id, most: 1 }]);
  await completeWithCallback(db, 'https://x.example/', { accountId });
  await deleteAccount(db, accountId, 0);
  expect(await claimRows(db, UUID, [{ id: open.id, most: 3 }])).toEqual([]);
  await finishRows(db, UUID, [{ row: claimed!, result: resultOf(claimed!.address) }]);
  const counts = sql`select count from daily_results where account_id = ${accountId} and mode = 'live'`;
  expect((await counts.execute(db)).rows).toEqual([]);
  await vi.waitUntil(async () => (await forgetDeletedAccounts(db)) === false);
  expect(await claimCallbacks(db, UUID, MANY)).toEqual([]);
  await expectNoBatch(accountId, 'test');
});

/** No batch of the account begins. */
async function expectNoBatch(accountId: string, mode: 'live' | 'test'): Promise<void> {
  const entries = entriesOf([{ address: 'a@x.example', duplicates: 0 }]);
  const request = { accountId, mode, total: 1, responseFields: null, retries: true, url: null, entries };
  expect(await begin({ ...DEPS, db, processId: UUID }, request)).toEqual({ kind: 'no-account' });
}

it('begins no batch while the data is deleted', async () => {
  const accountId = await makeAccount(db, 9);
  await sql`update accounts set deleted_at = clock_timestamp() where id = ${accountId}`.execute(db);
  await expectNoBatch(accountId, 'live');
});

it('deletes a draft and the list of a batch in chunks', async () => {
  const batch = await createBatch(db, 3);
  const cells = ['Ada', 'ada@x.example'];
  const rows = Array.from({ length: 6_000 }, () => ({ cells, place: null }));
  const list = await makeList(db, batch, ['Name', 'Email'], rows);
  await deleteAccount(db, batch.accountId, 0);
  const left = async () =>
    (await db.selectFrom('list_rows').select('number').where('list_id', '=', list).execute()).length;
  expect(await left()).toBe(6_000);
  await forgetRows(db);
  expect(await left()).toBe(1_000);
  await clear();
  expect(await left()).toBe(0);
});
