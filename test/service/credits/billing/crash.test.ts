/** Kills processes at each step of a payment. Billing is charged once, and the account has its credits once. */
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import {
  BILLING_SECRET,
  type BillingServer,
  holds,
  pays,
  paysSilently,
  startBillingServer,
} from '../../support/billing-server.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { type Child, prepareChildren } from '../../support/children.ts';
import { testDatabase } from '../../support/database.ts';
import { bringBack, takeAway } from '../../support/outage.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { passSeconds, paymentsOf } from '../../support/payments.ts';

const database = await testDatabase();
const { db } = database;
const children = await prepareChildren('test/service/credits/billing/child.ts');

type Line = { ready?: true; frozen?: true; kind?: string };

/** Starts a process that is ready to ask again. */
async function start({ url }: BillingServer, accountId: string, more: Record<string, string> = {}) {
  const environment = { DATABASE_URL: database.url, BILLING_URL: url, BILLING_SECRET };
  const child = children.start({ ...environment, ACCOUNT_ID: accountId, ...more });
  onTestFinished(() => child.kill());
  expect(await child.next<Line>()).toEqual({ ready: true });
  return child;
}

/** Kills the process, and lets the others know at once, instead of after 10 seconds. */
async function kill(child: Child, others: readonly string[]): Promise<void> {
  await child.kill();
  await sql`
    update processes set alive_at = clock_timestamp() - interval '11 seconds' where id <> all (${others}::uuid[])
  `.execute(db);
}

const processes = async () => (await db.selectFrom('processes').select('id').execute()).map(({ id }) => id);

const endOf = (accountId: string) =>
  vi.waitFor(async () => {
    const payments = await paymentsOf(db, accountId);
    expect(payments.map(({ outcome }) => outcome)).toEqual(['credited']);
    return payments[0]!;
  }, PATIENTLY);

/** One payment, one charge, and its credits once. */
async function expectOnce(server: BillingServer, accountId: string, spent: number): Promise<void> {
  const { id } = await endOf(accountId);
  expect([...server.charged]).toEqual([[`msg_${id}`, 10]]);
  expect(await creditsOf(db, accountId)).toBe(10 - spent);
  expect(await ledgerOf(db, accountId)).toMatchObject({ billing: 1 });
  expect(new Set(server.requests.map((request) => request.id))).toEqual(new Set([`msg_${id}`]));
}

/** Starts another process, and returns a function that kills the first one for the others too. */
async function withOther(server: BillingServer, accountId: string, more: Record<string, string> = {}) {
  const before = await processes();
  const other = await start(server, accountId, more);
  const others = (await processes()).filter((id) => !before.includes(id));
  return { other, kill: (child: Child) => kill(child, others) };
}

it('asks for a payment whose process was killed before its first request', async () => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  const child = await start(server, accountId, { WANTED: 'verification', FROZEN: 'yes' });
  expect(await child.next<Line>()).toEqual({ frozen: true });
  expect(server.requests).toEqual([]);
  const { kill } = await withOther(server, accountId);
  await kill(child);
  await expectOnce(server, accountId, 0);
});

it('asks again for a payment whose process was killed before the answer', async () => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  server.answer = paysSilently;
  const child = await start(server, accountId, { WANTED: 'verification' });
  await server.until(1);
  server.answer = pays;
  const { kill } = await withOther(server, accountId);
  await kill(child);
  await expectOnce(server, accountId, 0);
  expect(server.requests).toHaveLength(2);
});

it('asks again for a payment whose process was killed between the answer and its record', async () => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  const { answer, letGo } = holds(pays);
  server.answer = answer;
  const child = await start(server, accountId, { WANTED: 'verification' });
  await server.until(1);
  const { kill } = await withOther(server, accountId);
  // The credits wait for the account, which the test has locked.
  await db.transaction().execute(async (transaction) => {
    await sql`select from accounts where id = ${accountId} for update`.execute(transaction);
    letGo();
    await untilBlocked(transaction, { name: 'child' });
    await kill(child);
  });
  await expectOnce(server, accountId, 0);
});

it('asks nothing again for a payment whose process was killed after its record', async () => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  const child = await start(server, accountId, { WANTED: 'verification' });
  expect(await child.next<Line>()).toEqual({ kind: 'result' });
  const { kill } = await withOther(server, accountId);
  await kill(child);
  await passSeconds(db, 300);
  const next = await start(server, accountId, { WANTED: 'batch' });
  expect(await next.next<Line>()).toEqual({ kind: 'created' });
  await expectOnce(server, accountId, 6);
  expect(server.requests).toHaveLength(1);
});

it('pays once for a verification and a batch of two processes, of which the one that asks is killed', async () => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  server.answer = paysSilently;
  const dying = await start(server, accountId, { WANTED: 'verification' });
  await server.until(1);
  const { other, kill } = await withOther(server, accountId, { WANTED: 'batch' });
  server.answer = pays;
  await kill(dying);
  expect(await other.next<Line>()).toEqual({ kind: 'created' });
  await expectOnce(server, accountId, 5);
});

it('books an answer that comes while the database refuses all connections', async () => {
  const server = await startBillingServer();
  const accountId = await makeAccount(db);
  server.answer = async (response, charge) => {
    await takeAway(database);
    await pays(response, charge);
  };
  const child = await start(server, accountId, { WANTED: 'verification' });
  await server.until(1);
  await vi.waitUntil(() => server.charged.size === 1, PATIENTLY);
  server.answer = pays;
  await bringBack(database);
  expect(await child.next<Line>()).toEqual({ kind: 'result' });
  await expectOnce(server, accountId, 1);
});
