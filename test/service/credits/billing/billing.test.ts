import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../../src/service/core/log.ts';
import { type Billing, createBilling } from '../../../../src/service/credits/billing/billing.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { scriptVerifier, startLive } from '../../support/live.ts';

const { db } = await testDatabase();

const SECRET = `whsec_${Buffer.from('a secret of the operator').toString('base64')}`;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: Received[] = [];
let respond: (response: ServerResponse, request: Received) => void;
const server = createServer(async (request, response) => {
  const entry = { headers: request.headers, body: await text(request) };
  received.push(entry);
  respond(response, entry);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/billing`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => void received.splice(0));

const json = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

function bill(options: { url?: string; timeoutMs?: number } = {}): Billing {
  return createBilling({ db, url, secret: SECRET, log: silentLog, ...options });
}

it('sends a signed request with exactly what the operator needs', async () => {
  const accountId = await makeAccount(db, 3);
  respond = json(200, { credits: 5 });
  expect(await bill().ask({ accountId, needed: 8, available: 3 })).toEqual({ kind: 'credited' });
  const [{ headers, body }] = received as [Received];
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(body)).toEqual({
    account: accountId,
    owner_email: `${accountId}@example.com`,
    needed: 8,
    available: 3,
  });
  expect(() => new Webhook(SECRET).verify(body, headers as Record<string, string>)).not.toThrow();
  const rows = await db.selectFrom('ledger').selectAll().where('why', '=', 'billing').execute();
  expect(rows).toMatchObject([{ account_id: accountId, amount: 5, of: headers['webhook-id'], balance: 8 }]);
  expect(await creditsOf(db, accountId)).toBe(8);
});

it('passes on the message of a 402', async () => {
  const accountId = await makeAccount(db);
  respond = json(402, { message: 'The card was declined.' });
  const reply = await bill().ask({ accountId, needed: 1, available: 0 });
  expect(reply).toEqual({ kind: 'refused', message: 'The card was declined.' });
});

const OWN_MESSAGE = 'Expected 1 credit, got 0. The billing service could not be reached. Try again later.';

it.each<[what: string, respond: typeof respond]>([
  ['another status', json(500, { credits: 5 })],
  ['a 201', json(201, { credits: 5 })],
  ['no credits', json(200, { credits: 0 })],
  ['negative credits', json(200, { credits: -1 })],
  ['half a credit', json(200, { credits: 1.5 })],
  ['credits as text', json(200, { credits: '5' })],
  ['more credits than an account can have', json(200, { credits: Number.MAX_SAFE_INTEGER + 1 })],
  ['credits that leave no room for those that are there', json(200, { credits: Number.MAX_SAFE_INTEGER })],
  ['null', json(200, null)],
  ['a list', json(200, [5])],
  ['a 402 without a message', json(402, {})],
  ['a 402 with a message that is not text', json(402, { message: 5 })],
  ['text that is not JSON', (response) => void response.end('credits: 5')],
  ['a redirect', (response) => void response.writeHead(307, { location: `${url}/again` }).end()],
  ['a connection that closes', (response) => void response.destroy()],
  ['64 KiB and more', (response) => void response.end(`${' '.repeat(65_536)}{"credits":5}`)],
])('says that billing could not be reached after %s', async (_what, behaviour) => {
  const accountId = await makeAccount(db, 1);
  respond = behaviour;
  const reply = await bill().ask({ accountId, needed: 1, available: 0 });
  expect(reply).toEqual({ kind: 'refused', message: OWN_MESSAGE });
  expect(received).toHaveLength(1);
  expect(await creditsOf(db, accountId)).toBe(1);
});

it('reads up to 64 KiB', async () => {
  const accountId = await makeAccount(db);
  respond = (response) => void response.end('{"credits":5}'.padEnd(65_536));
  expect(await bill().ask({ accountId, needed: 1, available: 0 })).toMatchObject({ kind: 'credited' });
});

it.each<[what: string, respond: typeof respond]>([
  ['answers', () => {}],
  ['ends its response', (response) => void response.writeHead(200).write('{"credits":')],
])('gives up if the service never %s', async (_what, behaviour) => {
  const accountId = await makeAccount(db);
  respond = behaviour;
  const reply = await bill({ timeoutMs: 50 }).ask({ accountId, needed: 1, available: 0 });
  expect(reply).toEqual({ kind: 'refused', message: OWN_MESSAGE });
});

it('waits 15 seconds for a response', async () => {
  const accountId = await makeAccount(db);
  respond = json(200, { credits: 1 });
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  await bill().ask({ accountId, needed: 1, available: 0 });
  expect(timeout).toHaveBeenCalledWith(15_000);
});

it('says that billing could not be reached if nothing listens', async () => {
  const accountId = await makeAccount(db);
  const reply = await bill({ url: 'http://127.0.0.1:1/' }).ask({ accountId, needed: 1, available: 0 });
  expect(reply).toEqual({ kind: 'refused', message: OWN_MESSAGE });
});

it('adds too few credits all the same, and says how many there are', async () => {
  const accountId = await makeAccount(db, 1);
  respond = json(200, { credits: 3 });
  const reply = await bill().ask({ accountId, needed: 8, available: 1 });
  expect(reply).toEqual({
    kind: 'refused',
    message: 'Expected 8 credits, got 4. Add credits to the account.',
  });
  expect(await creditsOf(db, accountId)).toBe(4);
});

it('asks once for equal needs of one account, and by itself for others', async () => {
  const [one, two] = [await makeAccount(db), await makeAccount(db)];
  const open: ServerResponse[] = [];
  respond = (response) => void open.push(response);
  const billing = bill();
  const replies = [one, one, one, two].map((accountId) =>
    billing.ask({ accountId, needed: 1, available: 0 }),
  );
  replies.push(billing.ask({ accountId: one, needed: 9, available: 0 }));
  await vi.waitUntil(() => open.length === 3);
  for (const response of open) json(200, { credits: 10 })(response);
  for (const reply of await Promise.all(replies)) expect(reply).toEqual({ kind: 'credited' });
  expect(received).toHaveLength(3);
  expect([await creditsOf(db, one), await creditsOf(db, two)]).toEqual([20, 10]);
  const later = billing.ask({ accountId: one, needed: 1, available: 0 });
  await vi.waitUntil(() => open.length === 4);
  json(402, { message: 'No more.' })(open[3]!);
  expect(await later).toEqual({ kind: 'refused', message: 'No more.' });
});

const question = (accountId: string, number = 0) => ({
  ...{ accountId, address: `a${number}@example.com`, smtp: true, acceptAll: false, timeoutMs: 4000 },
});

async function startPaidLive() {
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  return { ...(await startLive(db, script.verifier, { billing: bill() })), script };
}

it('goes on with a verification once billing has added credits', async () => {
  const account = await makeAccount(db);
  const live = await startPaidLive();
  respond = json(200, { credits: 3 });
  expect(await live.verify(question(account))).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(2);
  expect(await ledgerOf(db, account)).toEqual({ billing: 1, verification: 1 });
  expect(JSON.parse(received[0]!.body)).toMatchObject({ needed: 1, available: 0 });
});

it('refuses a verification with the message of billing, and starts nothing', async () => {
  const account = await makeAccount(db);
  const live = await startPaidLive();
  respond = json(402, { message: 'The card was declined.' });
  expect(await live.verify(question(account))).toEqual({
    ...{ kind: 'no-credits', needed: 1, available: 0, message: 'The card was declined.' },
  });
  expect(live.script.calls).toEqual([]);
});

it('serves all parallel requests although billing adds fewer credits than they need', async () => {
  const account = await makeAccount(db);
  const live = await startPaidLive();
  respond = json(200, { credits: 2 });
  const answers = await Promise.all(
    Array.from({ length: 7 }, (_, number) => live.verify(question(account, number))),
  );
  expect(answers.filter(({ kind }) => kind === 'result')).toHaveLength(7);
  expect(await creditsOf(db, account)).toBe(received.length * 2 - 7);
});
