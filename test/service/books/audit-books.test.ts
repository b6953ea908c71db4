/** What the audit finds: each kind of fault, once, and nothing while the service works. */
import { type RawBuilder, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { forgetDeleted, forgetResults } from '../../../src/service/batch/batch-store.ts';
import { deleteBatch, pauseBatch, stopBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { auditBooks } from '../../../src/service/books/audit-books.ts';
import { auditChunk } from '../../../src/service/books/audit-chunk.ts';
import { createBilling } from '../../../src/service/credits/billing/billing.ts';
import { closeLedger } from '../../../src/service/credits/closing/closing-store.ts';
import { prepareDemoAccount } from '../../../src/service/demo/demo-account.ts';
import { forgetDailyResults } from '../../../src/service/usage/usage-store.ts';
import { inLong } from '../../in-long.ts';
import { rounds } from '../../long.mjs';
import { ledgerOf, makeAccount, topUp } from '../support/account.ts';
import { answers, COMPLETED, createBatch, startWorker } from '../support/batch.ts';
import { BILLING_SECRET, startBillingServer } from '../support/billing-server.ts';
import { expectExactBooks } from '../support/books.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';
import { paymentsOf } from '../support/payments.ts';
import { addProcess } from '../support/process.ts';
import { runService } from '../support/running-service.ts';
import { createScript, startStoredService, storeKey } from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

interface Seeded {
  readonly accountId: string;
  readonly liveBatch: string;
}

/** An account with live and test verifications, of which some are refunded, and batches of all kinds. */
async function makeBusyAccount(db = database.db): Promise<Seeded> {
  const accountId = await makeAccount(db, 100);
  const { verifier: timesOut } = createScript({ state: 'unknown', reason: 'timeout' });
  const unknown = await startStoredService(db, { verifier: timesOut });
  const known = await startStoredService(db, { verifier: createScript().verifier });
  const live = await storeKey(db, accountId, { mode: 'live' });
  const test = await storeKey(db, accountId);
  const verify = (key: string, email: string) => ({ url: `/v1/verify?api_key=${key}&email=${email}` });
  for (const name of ['ada', 'bob', 'cy']) {
    const { ask } = name === 'cy' ? unknown : known;
    expect((await ask(verify(live.key, `${name}@gmail.com`))).statusCode).toBe(200);
  }
  expect((await known.ask(verify(test.key, 'deliverable@example.com'))).statusCode).toBe(200);
  const payload = { api_key: test.key, emails: 'a@shop.example,A@shop.example,b@shop.example' };
  expect((await known.ask({ method: 'POST', url: '/v1/batch', payload })).statusCode).toBe(200);
  const batch = await createBatch(db, 12, { accountId, retries: false });
  const worker = await startWorker(db, answers('deliverable'));
  await batch.until(COMPLETED, 13);
  await worker.stop();
  await completeWithCallback(db, 'https://receiver.example/', { accountId, size: 3 });
  // One that is open.
  await createBatch(db, 5, { accountId });
  return { accountId, liveBatch: batch.id };
}

/** Each changes one figure behind the back of the service. */
const FAULTS: Readonly<Record<string, (of: Seeded) => RawBuilder<unknown>>> = {
  balance: ({ accountId }) =>
    sql`update accounts set available_credits = available_credits + 1 where id = ${accountId}`,
  ledger: ({ accountId }) => sql`
    delete from ledger where id = (select min(id) from ledger where account_id = ${accountId} and why = 'verification')`,
  'day-count': ({ accountId }) =>
    sql`update ledger_days set count = count + 1 where account_id = ${accountId} and why = 'verification'`,
  'day-amount': ({ accountId }) =>
    sql`update ledger_days set amount = amount - 1 where account_id = ${accountId} and why = 'verification'`,
  'reason-counts': ({ liveBatch }) => sql`
    update batches set reason_counts = '{"accepted_email": 11}' where id = ${liveBatch}`,
  'batch-rows': ({ liveBatch }) => sql`delete from batch_rows where batch_id = ${liveBatch} and place = 3`,
  refund: ({ accountId }) => sql`select change_credits(${accountId}, 1, 'refund', gen_random_uuid()::text)`,
  payment: ({ accountId }) => sql`
    insert into payments (id, account, needed, asked_at)
    values (gen_random_uuid()::text, ${accountId}, 5, clock_timestamp() - interval '2 days')`,
  'payment-credits': ({ accountId }) => sql`
    insert into payments (id, account, needed, outcome, credits, ended_at)
    values (gen_random_uuid()::text, ${accountId}, 5, 'credited', 5, clock_timestamp())`,
  callback: ({ accountId }) => sql`
    delete from callbacks using batches where batch_id = batches.id and account_id = ${accountId}`,
  'daily-results': ({ accountId }) => sql`
    update daily_results set count = count + 1 where account_id = ${accountId} and source = 'verify' and mode = 'live'
      and reason = 'timeout'`,
  'refund-amount': ({ accountId, liveBatch }) =>
    sql`select change_credits(${accountId}, 13, 'batch-refund', ${liveBatch})`,
  'batch-total': ({ liveBatch }) => sql`update batches set total = total + 1 where id = ${liveBatch}`,
  'stored-entries': ({ accountId }) => sql`
    update batch_storage set entries = entries + 1 where account_id = ${accountId} and mode = 'test'`,
  'open-batches': ({ accountId }) => sql`
    update batch_storage set open_batches = open_batches + 1 where account_id = ${accountId} and mode = 'test'`,
};

inLong('finds each kind of fault once, in the account that has it', async () => {
  const seeded: { kind: string; account: string }[] = [];
  for (const [kind, fault] of Object.entries(FAULTS)) {
    const of = await makeBusyAccount();
    await expectNothing(of.accountId);
    await fault(of).execute(db);
    seeded.push({ kind, account: of.accountId });
  }
  await makeBusyAccount();
  const found = await auditBooks(db);
  const byKind = (one: { kind: string }, other: { kind: string }) => one.kind.localeCompare(other.kind);
  expect(found.map(({ kind, account }) => ({ kind, account })).sort(byKind)).toEqual(seeded.sort(byKind));
  for (const { expected, got } of found) expect(expected).not.toEqual(got);
  const ofBatches = found.filter(({ batch }) => batch !== undefined).map(({ kind }) => kind);
  const expected = ['batch-rows', 'batch-total', 'callback', 'reason-counts', 'refund-amount'];
  expect(ofBatches.sort()).toEqual(expected);
});

const expectNothing = async (accountId: string) =>
  expect((await auditBooks(db)).filter(({ account }) => account === accountId)).toEqual([]);

it.each([
  ['verify', 'live'],
  ['verify', 'test'],
  ['batch', 'live'],
  ['batch', 'test'],
])('finds a wrong count by day of %s with %s keys, and a day that is gone', async (source, mode) => {
  const [{ accountId: more }, { accountId: gone }] = [await makeBusyAccount(), await makeBusyAccount()];
  await sql`
    update daily_results set count = count + 1 where account_id = ${more} and source = ${source} and mode = ${mode}
  `.execute(db);
  const ofDay = sql`account_id = ${gone} and source = ${source} and mode = ${mode}`;
  await sql`delete from daily_results where ${ofDay}`.execute(db);
  const found = (await auditBooks(db)).filter(({ account }) => [more, gone].includes(account));
  expect(found.map(({ account }) => account).sort()).toEqual([more, gone].sort());
  expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['daily-results']));
});

it('finds the same in parts of large accounts and batches', async () => {
  const own = await testDatabase(onTestFinished);
  const { accountId, liveBatch } = await makeBusyAccount(own.db);
  expect((await auditChunk(own.db, '', { mostRows: 2 })).differences).toEqual([]);
  await FAULTS['batch-rows']!({ accountId, liveBatch }).execute(own.db);
  await FAULTS.ledger!({ accountId, liveBatch }).execute(own.db);
  const whole = await auditBooks(own.db);
  expect(whole.map(({ kind }) => kind).sort()).toEqual(['batch-rows', 'ledger']);
  expect((await auditChunk(own.db, '', { mostRows: 2 })).differences).toEqual(whole);
});

inLong('audits each account once, however many there are', async () => {
  const own = await testDatabase(onTestFinished);
  const ids: string[] = [];
  for (let count = 0; count < 230; count += 1) ids.push(await makeAccount(own.db, 2));
  await sql`update accounts set available_credits = 3`.execute(own.db);
  expect((await auditBooks(own.db)).map(({ account }) => account)).toEqual(ids.sort());
});

it('finds nothing after batches are deleted and paused, after retention, and after days are forgotten', async () => {
  const { accountId, liveBatch } = await makeBusyAccount();
  await topUp(db, accountId, 35);
  const open = await createBatch(db, 30, { accountId, retries: false });
  const worker = await startWorker(db, answers('unknown'));
  await open.until(COMPLETED, 31);
  await worker.stop();
  const half = await createBatch(db, 5, { accountId });
  await sql`
    update batch_rows set reason = 'accepted_email', result = '{}' where batch_id = ${half.id} and place < 2
  `.execute(db);
  await sql`
    insert into daily_results values (
      ${accountId}, (now() at time zone 'UTC')::date - 401, 'batch', 'live', 'accepted_email', 2
    )
  `.execute(db);
  await pauseBatch(db, { id: half.id });
  await expectNothing(accountId);
  await deleteBatch(db, { id: half.id }, { refundUnknown: true });
  await deleteBatch(db, { id: liveBatch }, { refundUnknown: true });
  await expectNothing(accountId);
  await forgetDailyResults(db);
  await expectNothing(accountId);
});

it('finds nothing if the charge of a batch was closed that was paused for longer than a year, as the config allows', async () => {
  const accountId = await makeAccount(db, 10);
  const pauses = [await createBatch(db, 5, { accountId }), await createBatch(db, 3, { accountId })];
  for (const { id } of pauses) await pauseBatch(db, { id });
  const ago = (days: number, table: string, column: string, type: string) =>
    sql`
      update ${sql.table(table)} set ${sql.ref(column)} = (${sql.ref(column)} - make_interval(days => ${days}))::${sql.raw(type)}
      where account_id = ${accountId}
    `.execute(db);
  const age = async (days: number) => {
    await ago(days, 'batches', 'created_at', 'timestamptz');
    await ago(days, 'ledger', 'at', 'timestamptz');
    await ago(days, 'ledger_days', 'day', 'date');
  };
  await age(110);
  await topUp(db, accountId, 1);
  await age(390);
  while (await closeLedger(db, 400 * 86_400));
  await stopBatch(db, { id: pauses[0]!.id }, DEPS.settings);
  await deleteBatch(db, { id: pauses[1]!.id }, { refundUnknown: true });
  await expectNothing(accountId);
  while ((await forgetResults(db)) || (await forgetDeleted(db)));
  await expectNothing(accountId);
  const young = await createBatch(db, 1, { accountId });
  await stopBatch(db, { id: young.id }, DEPS.settings);
  await sql`
    with gone as (delete from ledger where of = ${young.id} and why = 'batch')
    update accounts set available_credits = available_credits + 1 where id = ${accountId}
  `.execute(db);
  const found = (await auditBooks(db)).filter(({ account }) => account === accountId);
  expect(found).toContainEqual(expect.objectContaining({ kind: 'refund', batch: young.id }));
});

it('knows credits of a payment whose row of the ledger was closed, and finds those that are not among them', async () => {
  const server = await startBillingServer();
  const processId = crypto.randomUUID();
  await addProcess(db, processId);
  const billing = createBilling({
    ...{ ...DEPS, db, processId, url: server.url, secret: BILLING_SECRET, perDay: 20, publicKeys: false },
  });
  const accountId = await makeAccount(db);
  const pay = async (needed: number) => {
    expect(await billing.ask({ accountId, needed, available: 0 })).toEqual({ kind: 'credited' });
    return (await paymentsOf(db, accountId)).at(-1)!.id;
  };
  await pay(1);
  await sql`update ledger set at = at - interval '500 days' where account_id = ${accountId}`.execute(db);
  await sql`update ledger_days set day = day - 500 where account_id = ${accountId}`.execute(db);
  while (await closeLedger(db, 400 * 86_400));
  const young = await pay(11);
  expect(await ledgerOf(db, accountId)).toEqual({ billing: 1 });
  await expectNothing(accountId);
  await sql`update payments set credits = 9 where id = ${young}`.execute(db);
  const differing = { kind: 'payment-credits', account: accountId, payment: young };
  const found = async () => (await auditBooks(db)).filter(({ account }) => account === accountId);
  expect(await found()).toEqual([{ ...differing, expected: 9, got: 10 }]);
  await sql`update payments set credits = 10 where id = ${young}`.execute(db);
  await sql`delete from ledger where account_id = ${accountId}`.execute(db);
  expect(await found()).toContainEqual({ ...differing, expected: 10, got: 0 });
});

it('finds nothing in the sample account of the demo', async () => {
  const own = await testDatabase(onTestFinished);
  await prepareDemoAccount(own.db, false);
  await expectExactBooks(own.db);
});

inLong('finds nothing while a service works', async () => {
  const own = await testDatabase(onTestFinished);
  const services = [1, 2].map(() => runService(own.url, { verifier: createScript().verifier }));
  await Promise.all(services.map(({ opened }) => opened.ready));
  const accounts = await Promise.all(Array.from({ length: 8 }, () => makeAccount(own.db, 1_000)));
  const keys = await Promise.all(accounts.map((account) => storeKey(own.db, account, { mode: 'live' })));
  const tests = await Promise.all(accounts.map((account) => storeKey(own.db, account)));
  let isOver = false;
  const work = keys.map(async ({ key }, number) => {
    const { ask } = services[number % 2]!;
    for (let round = 0; !isOver; round += 1) {
      await ask({ url: `/v1/verify?api_key=${key}&email=u${round}@gmail.com` });
      await ask({ url: `/v1/verify?api_key=${tests[number]!.key}&email=u${round}@gmail.com` });
      const emails = Array.from({ length: 7 }, (_, place) => `r${round}p${place}@shop.example`);
      const api_key = round % 2 ? key : tests[number]!.key;
      const payload = { api_key, emails, url: 'https://receiver.invalid/' };
      await ask({ method: 'POST', url: '/v1/batch', payload });
    }
  });
  for (let audits = rounds(6, 30); audits > 0; audits -= 1) await expectExactBooks(own.db);
  isOver = true;
  await Promise.all(work);
  await Promise.all(services.map(({ stop }) => stop(5_000)));
  await expectExactBooks(own.db);
});
