import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveSettings } from '../../../../src/service/config/sections/live-section.ts';
import {
  type BillingOfProcess,
  type BillingOptions,
  createBilling,
} from '../../../../src/service/credits/billing/billing.ts';
import { createUntilUnlocked } from '../../../../src/service/credits/unlocked.ts';
import { DatabaseAwayError } from '../../../../src/service/database/unavailable.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { creditsOf, ledgerOf, makeAccount, topUp } from '../../support/account.ts';
import {
  BILLING_SECRET,
  type BillingAnswer,
  type BillingServer,
  holds,
  pays,
  paysSilently,
  says,
  startBillingServer,
} from '../../support/billing-server.ts';
import { emptyBeforeEach, openPool, testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { scriptVerifier, startLive } from '../../support/live.ts';
import { bringBack, takeAway } from '../../support/outage.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { passSeconds, paymentsOf } from '../../support/payments.ts';
import { addProcess } from '../../support/process.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';

const database = await testDatabase();
const { db } = database;
// Each test looks at its own payments only.
emptyBeforeEach(db, 'payments');

/** Billing as one process has it. It ends with the test. */
async function start({ url }: { readonly url: string }, options: Partial<BillingOptions> = {}) {
  const processId = options.processId ?? randomUUID();
  await addProcess(db, processId);
  const logged: unknown[][] = [];
  const billing = createBilling({
    ...{ db, url, processId, secret: BILLING_SECRET, perDay: 20, publicKeys: false },
    ...{ lease: DEPS.lease, untilUnlocked: createUntilUnlocked(options.db ?? db) },
    log: (...event) => void logged.push(event),
    ...options,
  });
  onTestFinished(() => billing.stop(0));
  /** Asks for credits now. */
  const need = (accountId: string, needed = 1) => billing.ask({ accountId, needed, available: 0 });
  return { ...billing, logged, processId, need };
}

type Reply = ReturnType<BillingOfProcess['ask']>;
type OpenOptions = { credits?: number; adds?: number; answer?: BillingAnswer } & Partial<BillingOptions>;

/** A billing service, one process that asks it, and an account. */
async function open({ credits = 0, adds, answer, ...options }: OpenOptions = {}) {
  const server = await startBillingServer(adds);
  if (answer) server.answer = answer;
  return { server, billing: await start(server, options), accountId: await makeAccount(db, credits) };
}

/** Two processes. */
async function openTwo(options?: OpenOptions) {
  const { server, billing, accountId } = await open(options);
  return { server, billing, other: await start(server), accountId };
}

/** Waits for the end of the account's only payment. */
async function endOf(accountId: string) {
  return vi.waitFor(async () => {
    const [payment, ...others] = await paymentsOf(db, accountId);
    expect([payment?.ended_at, others.length]).toEqual([expect.any(Date), 0]);
    return payment!;
  }, PATIENTLY);
}

/** Waits until no process makes a try of the account's payment. */
const idle = (accountId: string) =>
  vi.waitFor(async () => {
    const payments = await paymentsOf(db, accountId);
    expect(payments.map(({ process_id }) => process_id)).toEqual([null]);
    return payments[0]!;
  }, PATIENTLY);

const refused = (message: string) => ({ kind: 'refused', message });
const GOES_ON = refused(
  'Expected 1 credit, got 0. The billing service did not answer, and the payment goes on. Send the request again in a minute.',
);
const NONSENSE = refused(
  'Expected 2 credits, got 0. The billing service answered nonsense instead of a number of credits. It is asked again, and the payment goes on. Send the request again in a minute.',
);

it('sends a signed request with exactly what the operator needs', async () => {
  const { server, billing, accountId } = await open({ credits: 3, adds: 5 });
  expect(await billing.need(accountId, 8)).toEqual({ kind: 'credited' });
  const [{ headers, body, id }] = server.requests as [BillingServer['requests'][number]];
  expect(headers['content-type']).toBe('application/json');
  expect(body).toEqual({
    ...{ account: accountId, owner_email: `${accountId}@example.com`, needed: 8, available: 3 },
  });
  const [payment] = await paymentsOf(db, accountId);
  expect(payment).toMatchObject({ needed: 8, tries: 1, outcome: 'credited', credits: 5, process_id: null });
  expect(id).toBe(`msg_${payment!.id}`);
  const rows = await db.selectFrom('ledger').selectAll().where('of', '=', id).execute();
  expect(rows).toMatchObject([{ account_id: accountId, amount: 5, why: 'billing', balance: 8 }]);
  expect(await creditsOf(db, accountId)).toBe(8);
});

it('has stored the payment when the request arrives', async () => {
  const { server, billing, accountId } = await open();
  let seen: unknown;
  server.answer = async (response, charge) => {
    seen = await paymentsOf(db, accountId);
    await pays(response, charge);
  };
  await billing.need(accountId);
  expect(seen).toMatchObject([{ needed: 1, tries: 1, outcome: null, ended_at: null }]);
});

it('passes on the message of a 402, and ends the payment', async () => {
  const { billing, accountId } = await open({ answer: says(402, { message: 'The card was declined.' }) });
  expect(await billing.need(accountId)).toEqual(refused('The card was declined.'));
  expect(await paymentsOf(db, accountId)).toMatchObject([{ outcome: 'refused', credits: null }]);
});

it.each<[what: string, answer: BillingAnswer]>([
  ['a 402 without a message', says(402, {})],
  ['a 402 with a message that is not text', says(402, { message: 5 })],
  ['a 402 with a message of NUL', says(402, { message: '\0' })],
  ['a 400', says(400, { credits: 5 })],
  ['a 404', says(404, '')],
])('ends the payment as refused after %s', async (_what, answer) => {
  const { billing, accountId } = await open({ answer });
  const message =
    'Expected 1 credit, got 0. The billing service refused the payment. Ask the operator of this service to add credits.';
  expect(await billing.need(accountId)).toEqual(refused(message));
  expect(await paymentsOf(db, accountId)).toMatchObject([{ outcome: 'refused', tries: 1 }]);
});

it('stores the first 500 characters of a message, without what PostgreSQL refuses', async () => {
  const message = `\0${'x'.repeat(499)}\u{1F600}`;
  const { billing, accountId } = await open({ answer: says(402, { message }) });
  expect(await billing.need(accountId)).toEqual(refused(`${'x'.repeat(499)}\uFFFD`));
});

it.each<[what: string, answer: BillingAnswer]>([
  ['a 500', says(500, { credits: 5 })],
  ['a 201', says(201, { credits: 5 })],
  ['a 204, which has no body', (response) => void response.writeHead(204).end()],
  ['a 408', says(408, { credits: 5 })],
  ['a 429', says(429, { message: 'Slow down.' })],
  ['a redirect', (response) => void response.writeHead(307, { location: '/again' }).end()],
  ['a connection that closes', (response) => void response.destroy()],
])('says that the payment goes on after %s, and books it at the next try', async (_what, answer) => {
  const { server, billing, accountId } = await open({ answer });
  expect(await billing.need(accountId)).toEqual(GOES_ON);
  expect(await paymentsOf(db, accountId)).toMatchObject([{ tries: 1, outcome: null, process_id: null }]);
  await passSeconds(db, 10);
  server.answer = pays;
  await billing.askAgain();
  expect(await endOf(accountId)).toMatchObject({ outcome: 'credited', credits: 10, tries: 2 });
  expect(new Set(server.requests.map(({ id }) => id)).size).toBe(1);
  expect(server.requests.map(({ body }) => body.needed)).toEqual([1, 1]);
  expect(await creditsOf(db, accountId)).toBe(10);
});

it('says that the payment goes on if nothing listens', async () => {
  const billing = await start({ url: 'http://127.0.0.1:1/' });
  const accountId = await makeAccount(db);
  expect(await billing.need(accountId)).toEqual(GOES_ON);
});

it.each<[what: string, answer: BillingAnswer]>([
  ['no credits', says(200, { credits: 0 })],
  ['negative credits', says(200, { credits: -1 })],
  ['half a credit', says(200, { credits: 1.5 })],
  ['credits as text', says(200, { credits: '5' })],
  ['more credits than an account can have', says(200, { credits: Number.MAX_SAFE_INTEGER + 1 })],
  ['credits that leave no room for those that are there', says(200, { credits: Number.MAX_SAFE_INTEGER })],
  ['null', says(200, null)],
  ['a list', says(200, [5])],
  ['text that is not JSON', (response) => void response.end('credits: 5')],
  ['64 KiB and more', (response) => void response.end(`${' '.repeat(65_536)}{"credits":5}`)],
])('says that a 200 with %s is nonsense, and ends the payment after the fourth', async (_what, answer) => {
  const { server, billing, accountId } = await open({ credits: 1, answer });
  expect(await billing.need(accountId, 2)).toEqual(NONSENSE);
  for (let again = 1; again <= 3; again += 1) {
    expect(await idle(accountId)).toMatchObject({ outcome: null, tries: again });
    await passSeconds(db, 300);
    await billing.askAgain();
  }
  expect(await endOf(accountId)).toMatchObject({ outcome: 'malformed', tries: 4 });
  expect(new Set(server.requests.map(({ id }) => id)).size).toBe(1);
  expect(server.requests).toHaveLength(4);
  expect(await creditsOf(db, accountId)).toBe(1);
  const details = expect.objectContaining({ outcome: 'malformed', account: accountId });
  await expect.poll(() => billing.logged).toContainEqual(['error', 'payment ended', details]);
});

it('ends a payment after four answers of nonsense, whatever came between them', async () => {
  const { server, billing, accountId } = await open();
  const answers = [200, 500, 200, 408, 500, 200, 200].map((status) => says(status, {}));
  server.answer = (...request) => answers[server.requests.length - 1]!(...request);
  await billing.need(accountId);
  for (let tries = 1; tries < answers.length; tries += 1) {
    expect(await idle(accountId)).toMatchObject({ outcome: null, tries });
    await passSeconds(db, 300);
    await billing.askAgain();
  }
  expect(await endOf(accountId)).toMatchObject({ outcome: 'malformed', tries: answers.length });
});

it('reads up to 64 KiB', async () => {
  const body = '{"credits":5}'.padEnd(65_536);
  const { billing, accountId } = await open({ answer: (response) => void response.end(body) });
  expect(await billing.need(accountId)).toEqual({ kind: 'credited' });
});

it.each<[what: string, answer: BillingAnswer]>([
  ['answers', () => {}],
  ['ends its response', (response) => void response.writeHead(200).write('{"credits":')],
])('goes on with a payment if the service never %s', async (_what, answer) => {
  const { billing, accountId } = await open({ answer, timeoutMs: 50 });
  expect(await billing.need(accountId)).toEqual(GOES_ON);
  expect(await idle(accountId)).toMatchObject({ outcome: null, tries: 1 });
});

it('gives each try 15 seconds', async () => {
  const billing = await start(await startBillingServer());
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  await billing.need(await makeAccount(db));
  expect(timeout).toHaveBeenCalledWith(15_000);
});

it('lets a request go when its patience is over, and books the answer that comes later', async () => {
  const { server, billing, other, accountId } = await openTwo();
  const { answer, letGo } = holds(pays);
  server.answer = answer;
  let passedMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => passedMs);
  onTestFinished(() => void vi.restoreAllMocks());
  // Whoever joins in another process waits no longer either.
  for (const process of [billing, other]) {
    const reply = process.need(accountId);
    await server.until(1);
    passedMs += 15_000;
    expect(await reply).toEqual(GOES_ON);
  }
  letGo();
  expect(await endOf(accountId)).toMatchObject({ outcome: 'credited', tries: 1 });
  expect(await creditsOf(db, accountId)).toBe(10);
});

it('adds too few credits all the same, and says how many there are', async () => {
  const { billing, accountId } = await open({ credits: 1, adds: 3 });
  const message = 'Expected 8 credits, got 4. Add credits to the account.';
  expect(await billing.need(accountId, 8)).toEqual(refused(message));
  expect(await creditsOf(db, accountId)).toBe(4);
});

it('opens one payment of an account for all requests of all processes', async () => {
  const server = await startBillingServer();
  const [one, two] = [await makeAccount(db), await makeAccount(db)];
  const processes = [await start(server), await start(server, { db: database.connect() })];
  const { answer, letGo } = holds(pays);
  server.answer = answer;
  const replies = processes.flatMap((billing) => [
    ...Array.from({ length: 20 }, () => billing.need(one)),
    billing.need(one, 9),
    billing.need(two),
  ]);
  await server.until(2);
  await vi.waitFor(async () => expect(await paymentsOf(db, two)).toHaveLength(1), PATIENTLY);
  letGo();
  for (const reply of await Promise.all(replies)) expect(reply).toEqual({ kind: 'credited' });
  expect(server.requests).toHaveLength(2);
  expect([await creditsOf(db, one), await creditsOf(db, two)]).toEqual([10, 10]);
  expect(await paymentsOf(db, one)).toHaveLength(1);
});

it('takes no connection for the requests of an account that somebody has locked', async () => {
  const server = await startBillingServer();
  const only = database.connect(1);
  const billing = await start(server, { db: only });
  const [locked, other] = [await makeAccount(db), await makeAccount(db)];
  let replies: Reply[] = [];
  await db.transaction().execute(async (transaction) => {
    await sql`select from accounts where id = ${locked} for update`.execute(transaction);
    replies = [1, 2, 3].map((needed) => billing.need(locked, needed));
    expect(await billing.need(other)).toEqual({ kind: 'credited' });
  });
  for (const reply of await Promise.all(replies)) expect(reply).toEqual({ kind: 'credited' });
});

describe('when the database is silent', () => {
  /** Its own limit of patience. It passes when the test says so. */
  const PATIENCE_MS = 1_000_000;

  async function startBehindProxy(isUnlocked = true) {
    const server = await startBillingServer();
    const proxy = await startSilentProxy(database.url);
    const behind = openPool({ connectionString: proxy.url, max: 1 });
    const untilUnlocked = isUnlocked ? DEPS.untilUnlocked : createUntilUnlocked(behind);
    onTestFinished(async () => {
      proxy.speak();
      await behind.destroy();
    });
    const timers = holdTimers((ms) => ms > PATIENCE_MS / 2 && ms <= PATIENCE_MS);
    onTestFinished(() => void vi.restoreAllMocks());
    const billing = await start(server, { db: behind, untilUnlocked, patienceMs: PATIENCE_MS });
    /** Lets the patience of the requests pass that wait. */
    const passPatience = async (requests = 1) => {
      await setImmediate();
      await vi.waitUntil(() => timers.set.length === requests, PATIENTLY);
      timers.fire();
    };
    return { server, proxy, billing, passPatience, accountId: await makeAccount(db) };
  }

  it('refuses a request with 503 that cannot open a payment', async () => {
    const { server, proxy, billing, passPatience, accountId } = await startBehindProxy(false);
    proxy.silence();
    const slow = expect(billing.need(accountId)).rejects.toMatchObject({ code: 'databaseSlow' });
    await passPatience();
    await slow;
    proxy.speak();
    expect(await billing.need(accountId, 0)).toEqual({ kind: 'credited' });
    expect(server.requests).toEqual([]);
  });

  it('lets a request go that opens a payment, which goes on', async () => {
    const { proxy, billing, passPatience, accountId } = await startBehindProxy();
    proxy.silence();
    const reply = billing.need(accountId);
    await passPatience();
    expect(await reply).toEqual(GOES_ON);
    proxy.speak();
    expect(await endOf(accountId)).toMatchObject({ outcome: 'credited' });
  });

  it('opens no payment for a request that has gone before its turn', async () => {
    const { proxy, billing, passPatience, accountId } = await startBehindProxy();
    await topUp(db, accountId, 1);
    proxy.silence();
    const replies = [1, 5].map((needed) => billing.need(accountId, needed));
    await passPatience(2);
    for (const reply of await Promise.all(replies)) expect(reply).toMatchObject({ kind: 'refused' });
    proxy.speak();
    // It comes after them.
    expect(await billing.need(accountId, 0)).toEqual({ kind: 'credited' });
    expect(await paymentsOf(db, accountId)).toEqual([]);
  });

  it('lets a request go that looks at its payment', async () => {
    const { server, proxy, billing, passPatience, accountId } = await startBehindProxy();
    const { answer, letGo } = holds(pays);
    server.answer = answer;
    const reply = billing.need(accountId);
    await server.until(1);
    proxy.silence();
    await passPatience();
    expect(await reply).toEqual(GOES_ON);
    letGo();
    proxy.speak();
    expect(await endOf(accountId)).toMatchObject({ outcome: 'credited' });
  });
});

it('goes on for the others of an account when the way to the database has failed for one', async () => {
  const server = await startBillingServer();
  let isAway = true;
  const failing = db.withPlugin({
    transformQuery({ node }) {
      if (!isAway || node.kind === 'SelectQueryNode') return node;
      isAway = false;
      throw new Error('the statement is wrong');
    },
    transformResult: async ({ result }) => result,
  });
  const billing = await start(server, { db: failing });
  const accountId = await makeAccount(db);
  const replies = await Promise.allSettled([billing.need(accountId, 2), billing.need(accountId, 1)]);
  expect(replies.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await paymentsOf(db, accountId)).toMatchObject([{ needed: 1, outcome: 'credited' }]);
});

it('waits no longer when a look at the payment fails for another reason than the database', async () => {
  const server = await startBillingServer();
  const { answer, letGo } = holds(pays);
  server.answer = answer;
  const owner = await start(server);
  const accountId = await makeAccount(db);
  const asked = owner.need(accountId);
  await server.until(1);
  let looks = 0;
  const failing = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      looks += result.rows[0] && 'due_in_ms' in result.rows[0] ? 1 : 0;
      if (looks > 1) throw new Error('a bug');
      return result;
    },
  });
  const other = await start(server, { db: failing });
  await expect(other.need(accountId)).rejects.toThrow('a bug');
  letGo();
  expect(await asked).toEqual({ kind: 'credited' });
});

it('asks for nothing when the time of a request is over', async () => {
  const { server, billing, accountId } = await open({ patienceMs: 0 });
  const message = 'This request needs 1 credit, and the account has 0. Add credits to the account.';
  expect(await billing.need(accountId)).toEqual(refused(message));
  expect([server.requests, await paymentsOf(db, accountId)]).toEqual([[], []]);
});

it('takes up no payment any more when it stops', async () => {
  const { server, billing, accountId } = await open({ answer: says(500, {}) });
  await billing.need(accountId);
  await idle(accountId);
  await passSeconds(db, 300);
  await billing.stop(0);
  await billing.askAgain();
  expect([server.requests.length, (await paymentsOf(db, accountId))[0]!.tries]).toEqual([1, 1]);
});

it('starts nothing without its lock in the database', async () => {
  const server = await startBillingServer();
  let isHeld = true;
  const expectHeld = async () => {
    if (!isHeld) throw new DatabaseAwayError('This process has lost its lock in the database.');
  };
  const billing = await start(server, { lease: { ...DEPS.lease, isHeld: () => isHeld, expectHeld } });
  const [waiting, other] = [await makeAccount(db), await makeAccount(db)];
  server.answer = says(500, {});
  await billing.need(waiting);
  await idle(waiting);
  await passSeconds(db, 300);
  isHeld = false;
  await billing.askAgain();
  await expect(billing.need(other)).rejects.toThrow(DatabaseAwayError);
  expect(await paymentsOf(db, other)).toEqual([]);
  expect(await paymentsOf(db, waiting)).toMatchObject([{ tries: 1, process_id: null }]);
  expect(server.requests).toHaveLength(1);
  isHeld = true;
  await billing.askAgain();
  await server.until(2);
});

it('opens none if other changes have added enough meanwhile', async () => {
  const { server, billing, accountId } = await open();
  await topUp(db, accountId, 5);
  expect(await billing.need(accountId, 5)).toEqual({ kind: 'credited' });
  expect(server.requests).toEqual([]);
});

it('refuses who waits for as much as was refused, and asks for who needs less', async () => {
  const server = await startBillingServer();
  const only = database.connect(1);
  const [first, second] = [await start(server), await start(server, { db: only })];
  const accountId = await makeAccount(db);
  const message = 'The limit of the card is reached.';
  const { answer, letGo } = holds(says(402, { message }));
  server.answer = answer;
  const declined = [first.need(accountId, 9)];
  await server.until(1);
  declined.push(second.need(accountId, 9), second.need(accountId, 500));
  const less = second.need(accountId, 1);
  // Their only connection serves the three in turn, so they have found the open payment then.
  for (let turn = 0; turn <= 3; turn += 1) await paymentsOf(only, accountId);
  server.answer = pays;
  letGo();
  for (const reply of await Promise.all(declined)) expect(reply).toEqual(refused(message));
  expect(await less).toEqual({ kind: 'credited' });
  expect(server.requests.map(({ body }) => body.needed)).toEqual([9, 1]);
});

it('asks again for a payment whose process has died, and books a late answer of either once', async () => {
  const { server, billing: dying, other, accountId } = await openTwo();
  const first = holds(pays);
  server.answer = first.answer;
  const waiting = dying.need(accountId);
  await server.until(1);
  await other.askAgain();
  expect(server.requests).toHaveLength(1);
  const joined = other.need(accountId);
  await db.deleteFrom('processes').where('id', '=', dying.processId).execute();
  server.answer = pays;
  await other.askAgain();
  expect(await joined).toEqual({ kind: 'credited' });
  first.letGo();
  expect(await waiting).toEqual({ kind: 'credited' });
  expect(server.requests.map(({ id }) => id)).toEqual([server.requests[0]!.id, server.requests[0]!.id]);
  await dying.stop(10_000);
  expect(await creditsOf(db, accountId)).toBe(10);
  expect(await ledgerOf(db, accountId)).toEqual({ billing: 1 });
});

it('lets a process that was taken for dead neither refuse a payment nor set its next try', async () => {
  const { server, billing: slow, other, accountId } = await openTwo();
  const [early, late] = [holds(says(402, { message: 'No.' })), holds(pays)];
  server.answer = early.answer;
  const waiting = slow.need(accountId);
  await server.until(1);
  await db.deleteFrom('processes').where('id', '=', slow.processId).execute();
  server.answer = late.answer;
  await other.askAgain();
  await server.until(2);
  early.letGo();
  await slow.stop(10_000);
  expect(await paymentsOf(db, accountId)).toMatchObject([{ outcome: null, process_id: other.processId }]);
  late.letGo();
  expect(await waiting).toEqual({ kind: 'credited' });
});

it('books credits that come although another answer has refused them', async () => {
  const { server, billing: slow, other, accountId } = await openTwo();
  const paid = holds(pays);
  server.answer = paid.answer;
  const waiting = slow.need(accountId);
  await server.until(1);
  await db.deleteFrom('processes').where('id', '=', slow.processId).execute();
  server.answer = says(409, { message: 'That request is running.' });
  await other.askAgain();
  expect(await endOf(accountId)).toMatchObject({ outcome: 'refused' });
  await waiting;
  paid.letGo();
  await vi.waitFor(async () => {
    const [payment] = await paymentsOf(db, accountId);
    expect(payment).toMatchObject({ outcome: 'credited', credits: 10 });
  }, PATIENTLY);
  expect(await creditsOf(db, accountId)).toBe(10);
});

it.each([1, 5])(
  'books the answer of try %i once the database is back, and asks for it no more',
  async (last) => {
    const { server, billing, accountId } = await open({ db: database.connect(), answer: says(500, {}) });
    for (let tries = 1; tries <= last; tries += 1) {
      if (tries === last)
        server.answer = async (response, charge) => {
          await takeAway(database);
          await pays(response, charge);
        };
      if (tries === 1) billing.need(accountId).catch(() => {});
      else {
        await idle(accountId);
        await passSeconds(db, 300);
        await billing.askAgain();
      }
      await server.until(tries);
    }
    await vi.waitUntil(() => billing.logged.some(([, event]) => event === 'payment not recorded'), PATIENTLY);
    await bringBack(database);
    expect(await endOf(accountId)).toMatchObject({ outcome: 'credited', credits: 10, tries: last });
    expect(server.requests).toHaveLength(last);
    expect(await creditsOf(db, accountId)).toBe(10);
  },
);

it('asks no more often than a later try is due, and then by whoever notices', async () => {
  const { server, billing, other, accountId } = await openTwo({ answer: says(500, {}) });
  const processes = [billing, other] as const;
  await processes[0]!.need(accountId);
  for (let tries = 2; tries <= 10; tries += 1) {
    // The longest pause is 5 minutes.
    await passSeconds(db, 300);
    await Promise.all(processes.map((billing) => billing.askAgain()));
    expect(await idle(accountId)).toMatchObject({ tries });
    await Promise.all(processes.map((billing) => billing.askAgain()));
  }
  expect(server.requests).toHaveLength(10);
  // A request does not wait for a try that is minutes away, and causes none.
  expect(await processes[1]!.need(accountId)).toEqual(GOES_ON);
  expect(server.requests).toHaveLength(10);
});

it('gives up after 24 hours, loudly, and not before', async () => {
  const server = await startBillingServer();
  const ends: string[] = [];
  const billing = await start(server, { onEnded: (outcome) => void ends.push(outcome) });
  const accountId = await makeAccount(db);
  server.answer = says(500, {});
  await billing.need(accountId);
  await passSeconds(db, 23 * 3_600);
  await billing.askAgain();
  expect(await idle(accountId)).toMatchObject({ outcome: null });
  await passSeconds(db, 3_600);
  await billing.askAgain();
  const { id } = await endOf(accountId);
  expect(await paymentsOf(db, accountId)).toMatchObject([{ outcome: 'given up', tries: 3 }]);
  // The database has the end a moment before the process knows it.
  await expect.poll(() => ends).toEqual(['given up']);
  const details = { payment: id, try: 3, account: accountId, outcome: 'given up' };
  expect(billing.logged.at(-1)).toEqual(['error', 'payment ended', details]);
});

it('opens at most so many payments of an account in 24 hours, and says so', async () => {
  const { server, billing, accountId } = await open({ adds: 1, perDay: 2 });
  expect(await billing.need(accountId, 1)).toEqual({ kind: 'credited' });
  expect(await billing.need(accountId, 2)).toEqual({ kind: 'credited' });
  const message =
    /^Expected 3 credits, got 2\. The account has had 2 payments in 24 hours, which is the most\. Add credits to the account, or send the request again after \d+ \w+ \d{4}, \d\d:\d\d UTC\.$/;
  expect(await billing.need(accountId, 3)).toEqual(refused(expect.stringMatching(message)));
  expect(server.requests).toHaveLength(2);
  expect((await billing.need(await makeAccount(db))).kind).toBe('credited');
  await passSeconds(db, 24 * 3_600);
  expect(await billing.need(accountId, 3)).toEqual({ kind: 'credited' });
});

describe('after a refused payment', () => {
  const DECLINED = refused('The card has expired.');
  const declines = says(402, { message: DECLINED.message });
  const pausing = (seconds: string) => {
    const pause = `\\(The billing service is asked again in ${seconds} at the earliest\\.\\)`;
    return refused(expect.stringMatching(new RegExp(`^The card has expired\\. ${pause}$`)));
  };

  /**
   * Expects a pause of so many seconds after the last refusal. That one is a minute later meanwhile, so that a busy
   * machine looks before the end of the pause.
   */
  async function expectPause(pause: number, ...asks: (() => Reply)[]): Promise<void> {
    const left = async () => {
      const { rows } = await sql<{ seconds: number }>`
        select ceil(extract(epoch from max(ended_at) - clock_timestamp()) + ${pause})::integer as seconds
        from payments
      `.execute(db);
      return rows[0]!.seconds;
    };
    await passSeconds(db, -60);
    const most = await left();
    const replies = await Promise.all(asks.map((ask) => ask()));
    const least = await left();
    const between = Array.from({ length: most - least + 1 }, (_, index) => least + index).join('|');
    for (const reply of replies) expect(reply).toEqual(pausing(`(${between}) seconds?`));
    await passSeconds(db, 60);
  }

  it('tries a card no more often in a day than an account may pay, however often a loop asks', async () => {
    const { server, billing, accountId } = await open({ perDay: 3, answer: declines });
    for (let time = 0; time < 6; time += 1) {
      const most = refused(expect.stringContaining('The account has had 3 payments in 24 hours'));
      expect(await billing.need(accountId)).toEqual(time < 3 ? DECLINED : most);
      await passSeconds(db, 300);
    }
    expect(server.requests).toHaveLength(3);
    await passSeconds(db, 24 * 3_600);
    server.answer = pays;
    expect(await billing.need(accountId)).toEqual({ kind: 'credited' });
  });

  it('counts one that brought no answer and no refusal', async () => {
    const { server, billing, accountId } = await open({ perDay: 1, answer: says(200, {}) });
    await billing.need(accountId);
    await idle(accountId);
    for (let tries = 2; tries <= 4; tries += 1) {
      await passSeconds(db, 300);
      await billing.askAgain();
      await server.until(tries);
      await idle(accountId);
    }
    expect(await endOf(accountId)).toMatchObject({ outcome: 'malformed' });
    expect(await billing.need(accountId)).toMatchObject({ message: expect.stringContaining('1 payment') });
  });

  it('asks again after pauses that double with each refusal, and says so, in all processes', async () => {
    const { server, billing, other, accountId } = await openTwo({ answer: declines });
    const processes = [billing, other] as const;
    const asks = processes.map((process) => () => process.need(accountId));
    for (const [refusals, pause] of [4, 8, 16, 32, 64, 128, 256, 300, 300, 300].entries()) {
      expect(await processes[0]!.need(accountId)).toEqual(DECLINED);
      await expectPause(pause, ...asks);
      expect(server.requests).toHaveLength(refusals + 1);
      await passSeconds(db, pause);
    }
    server.answer = pays;
    expect(await processes[1]!.need(accountId)).toEqual({ kind: 'credited' });
    server.answer = declines;
    expect(await processes[0]!.need(accountId, 50)).toEqual(DECLINED);
    await passSeconds(db, 4);
    expect(await processes[0]!.need(accountId, 50)).toEqual(DECLINED);
  });

  it('asks at once for less than was refused, but not again and again', async () => {
    const { server, billing, accountId } = await open({ answer: declines });
    await billing.need(accountId, 9);
    await expectPause(4, () => billing.need(accountId, 10));
    expect(await billing.need(accountId, 8)).toEqual(DECLINED);
    await expectPause(8, () => billing.need(accountId, 7));
    expect(server.requests.map(({ body }) => body.needed)).toEqual([9, 8]);
  });

  it('asks as soon as it can for other accounts', async () => {
    const server = await startBillingServer();
    const billing = await start(server);
    server.answer = declines;
    await billing.need(await makeAccount(db));
    server.answer = pays;
    expect(await billing.need(await makeAccount(db))).toEqual({ kind: 'credited' });
  });
});

it('asks for no credits of a public key, unless the operator wants it', async () => {
  const server = await startBillingServer();
  const missing = { accountId: await makeAccount(db), needed: 1, available: 0, isPublic: true };
  const message = 'Expected 1 credit, got 0. Public keys cause no payments. Add credits to the account.';
  expect(await (await start(server)).ask(missing)).toEqual(refused(message));
  expect(server.requests).toEqual([]);
  const open = await start(server, { publicKeys: true });
  expect(await open.ask(missing)).toEqual({ kind: 'credited' });
});

it('leaves a try to other processes when it stops', async () => {
  const { server, billing: stopping, other, accountId } = await openTwo({ answer: paysSilently });
  const waiting = stopping.need(accountId);
  await server.until(1);
  await stopping.stop(0);
  expect(await waiting).toEqual(GOES_ON);
  server.answer = pays;
  await other.askAgain();
  expect(await endOf(accountId)).toMatchObject({ outcome: 'credited', tries: 2 });
  expect([...server.charged.values()]).toEqual([10]);
});

it('logs a payment whose account was deleted meanwhile', async () => {
  const { server, billing, accountId } = await open();
  server.answer = async (response, charge) => {
    await deleteAccount(db, accountId);
    await pays(response, charge);
  };
  expect(await billing.need(accountId)).toEqual({ kind: 'credited' });
  const details = { payment: expect.any(String), account: accountId };
  const line = ['error', 'payment of deleted account', details];
  await vi.waitFor(() => expect(billing.logged).toContainEqual(line), PATIENTLY);
});

it('logs no message of billing, and neither its URL nor an address', async () => {
  const message = 'Card of ada@example.com was declined.';
  const { billing, accountId } = await open({ answer: says(402, { message }) });
  await billing.need(accountId);
  expect(billing.logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(billing.logged)).not.toMatch(/@|127\.0\.0\.1|whsec|declined/);
});

const question = (accountId: string, number = 0) => ({
  ...{ accountId, address: `a${number}@example.com`, smtp: true, acceptAll: false, timeoutMs: 60_000 },
});

async function startPaidLive(server: BillingServer, live: Partial<LiveSettings> = {}) {
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  const billing = await start(server);
  const { processId } = billing;
  const settings = settingsWith({ live });
  return { ...(await startLive(db, script.verifier, { billing, processId, settings })), script };
}

it('goes on with a verification once billing has added credits', async () => {
  const account = await makeAccount(db);
  const server = await startBillingServer(3);
  const live = await startPaidLive(server);
  expect(await live.verify(question(account))).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(2);
  expect(await ledgerOf(db, account)).toEqual({ billing: 1, verification: 1 });
  expect(server.requests[0]!.body).toMatchObject({ needed: 1, available: 0 });
});

it('refuses a verification with the message of billing, and starts nothing', async () => {
  const account = await makeAccount(db);
  const server = await startBillingServer();
  const live = await startPaidLive(server);
  server.answer = says(402, { message: 'The card was declined.' });
  expect(await live.verify(question(account))).toEqual({
    ...{ kind: 'no-credits', needed: 1, available: 0, message: 'The card was declined.' },
  });
  expect(live.script.calls).toEqual([]);
});

it('leaves the room of a process to others while requests wait for a payment', async () => {
  const [poor, rich] = [await makeAccount(db), await makeAccount(db, 1)];
  const server = await startBillingServer();
  const { answer, letGo } = holds(pays);
  server.answer = answer;
  const live = await startPaidLive(server, { concurrency: 2 });
  const waiting = [1, 2].map((number) => live.verify(question(poor, number)));
  await server.until(1);
  const verifyRich = async () => expect(await live.verify(question(rich))).toMatchObject({ kind: 'result' });
  await vi.waitFor(verifyRich, PATIENTLY);
  letGo();
  for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ kind: 'result' });
});

it('serves all parallel requests although billing adds fewer credits than they need', async () => {
  const account = await makeAccount(db);
  const server = await startBillingServer(2);
  const live = await startPaidLive(server);
  const requests = Array.from({ length: 7 }, (_, number) => live.verify(question(account, number)));
  const answers = await Promise.all(requests);
  expect(answers.filter(({ kind }) => kind === 'result')).toHaveLength(7);
  expect(await creditsOf(db, account)).toBe(server.requests.length * 2 - 7);
});
