/** Codes and tokens under many requests at once, from two processes on one PostgreSQL. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { deleteAccount, endAccount } from '../../../src/service/deletion/delete-account.ts';
import { deleteApp } from '../../../src/service/oauth/apps/app-store.ts';
import { inLong } from '../../in-long.ts';
import { makeAccount } from '../support/account.ts';
import { untilBlocked } from '../support/blocked.ts';
import { testDatabase } from '../support/database.ts';
import { startStoredService } from '../support/stored-service.ts';
import { CALLBACK, openWorld, worldOf } from './world.ts';

const database = await testDatabase();

const MANY = 50;

const [first, second] = [database.connect(10), database.connect(10)];

/** Two processes with pools of their own, and an app. */
async function openTwo() {
  const world = await openWorld(first);
  const other = worldOf(second, (await startStoredService(second)).app, world.accountId);
  const client = await world.makeApp();
  const places = [world, other];
  return { ...world, client, at: (index: number) => places[index % 2]! };
}

/** How many answers have each status and error. */
function tally(answers: readonly { statusCode: number; json(): { error?: string } }[]) {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = `${answer.statusCode} ${answer.json().error ?? 'tokens'}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const ONE = { '200 tokens': 1, '400 invalid_grant': MANY - 1 };
const times = <Value>(make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: MANY }, (_, index) => make(index)));
const families = async () =>
  (await sql<{ count: number }>`select count(*) from token_families`.execute(database.db)).rows[0]!.count;

it('gives tokens for one of 50 exchanges of one code, and ends them, since two have it', async () => {
  const { client, codeOf, at } = await openTwo();
  const before = await families();
  const code = await codeOf(client);
  const answers = await times((index) => at(index).exchange(client, code));
  expect(tally(answers)).toEqual(ONE);
  expect(await families()).toBe(before);
});

it('gives a pair for one of 50 refreshes with one token, and ends it, since two have it', async () => {
  const { client, tokensOf, at, askAccount } = await openTwo();
  const { refresh_token } = await tokensOf(client);
  const answers = await times((index) => at(index).refresh(client, refresh_token));
  expect(tally(answers)).toEqual(ONE);
  const pair = answers.find(({ statusCode }) => statusCode === 200)!.json();
  expect((await askAccount(pair.access_token)).statusCode).toBe(403);
});

it('gives tokens for one of 50 polls with one device code, and they stay', async () => {
  const { client, deviceOf, grants, accountId, at, askAccount } = await openTwo();
  const device = await deviceOf(client);
  await grants.allowDevice(device.user_code, accountId);
  const answers = await times((index) => at(index).poll(client, device.device_code));
  expect(tally(answers)).toEqual(ONE);
  const pair = answers.find(({ statusCode }) => statusCode === 200)!.json();
  expect((await askAccount(pair.access_token)).statusCode).toBe(200);
});

it('counts each of 50 polls at once for the interval', async () => {
  const { client, deviceOf, at } = await openTwo();
  const { device_code } = await deviceOf(client);
  const answers = await times((index) => at(index).poll(client, device_code));
  expect(tally(answers)).toEqual({ '400 authorization_pending': 1, '400 slow_down': MANY - 1 });
});

it('gives every one of 50 different codes its own tokens', async () => {
  const { client, codeOf, at, askAccount } = await openTwo();
  const codes = await times(() => codeOf(client));
  const answers = await times((index) => at(index).exchange(client, codes[index]!));
  expect(tally(answers)).toEqual({ '200 tokens': MANY });
  const tokens = answers.map((answer) => answer.json().access_token);
  expect(new Set(tokens).size).toBe(MANY);
  for (const token of tokens) expect((await askAccount(token)).statusCode).toBe(200);
});

inLong('gives no 5xx and leaves nothing while apps and accounts are deleted', async () => {
  const { makeApp, read, grants, deviceOf, at } = await openTwo();
  const statuses = await times(async (index) => {
    const place = at(index);
    const person = await makeAccount(database.db);
    const client = await makeApp();
    const { client_id } = client;
    const request = await read({ response_type: 'code', client_id, redirect_uri: CALLBACK });
    if (request.kind !== 'ask') throw new Error(request.message);
    const device = await deviceOf(client);
    const remove = () =>
      index % 4 < 2 ? deleteAccount(database.db, person) : deleteApp(database.db, client_id);
    const decision = await grants.allow(request, person);
    if (decision.kind !== 'redirect') throw new Error(decision.kind);
    const code = new URL(decision.url).searchParams.get('code')!;
    const [exchanged, polled] = await Promise.all([
      place.exchange(client, code),
      grants.allowDevice(device.user_code, person).then(() => place.poll(client, device.device_code)),
      grants.allow(request, person),
      remove(),
    ]);
    return [exchanged.statusCode, polled.statusCode];
  });
  expect(statuses.flat().filter((status) => status >= 500)).toEqual([]);
});

/** A deletion locks its own row first, and what belongs to it afterwards. The request comes in between. */
it.each([
  ['exchange', 'account'],
  ['exchange', 'app'],
  ['poll', 'account'],
  ['poll', 'app'],
  ['allow', 'account'],
  ['allow', 'app'],
  ['allow device', 'account'],
  ['exchange', 'membership'],
  ['poll', 'membership'],
  ['allow', 'membership'],
  ['allow device', 'membership'],
] as const)(
  'makes %s wait for a deletion of the %s that has begun, and gives nothing',
  async (what, deleted) => {
    const { client, deviceOf, grants, read, exchange, poll } = await openTwo();
    const { client_id } = client;
    const person = await makeAccount(database.db);
    const redirect_uri = 'https://app.example/callback';
    const request = await read({ response_type: 'code', client_id, redirect_uri });
    if (request.kind !== 'ask') throw new Error(request.message);
    const allowed = await grants.allow(request, person);
    const code = allowed.kind === 'redirect' ? new URL(allowed.url).searchParams.get('code')! : '';
    const device = await deviceOf(client);
    if (what === 'poll') await grants.allowDevice(device.user_code, person);

    const deletion = await database.db.startTransaction().execute();
    const locks = {
      account: sql`select from accounts where id = ${person} for update`,
      app: sql`select from apps join app_redirect_uris using (client_id) where client_id = ${client_id} for update`,
      membership: sql`select from members where account_id = ${person} for update`,
    };
    await locks[deleted].execute(deletion);
    const answer = {
      exchange: () => exchange(client, code).then((given) => given.json().error),
      poll: () => poll(client, device.device_code).then((given) => given.json().error),
      allow: () => grants.allow(request, person).then((decision) => decision.kind),
      'allow device': () => grants.allowDevice(device.user_code, person),
    }[what]();
    await untilBlocked(database.db);
    await {
      account: () => endAccount(deletion, person),
      app: () => deleteApp(deletion, client_id),
      membership: () => deletion.deleteFrom('members').where('account_id', '=', person).execute(),
    }[deleted]();
    await deletion.commit().execute();
    const nothing = {
      ...{ exchange: 'invalid_grant', poll: 'invalid_grant' },
      ...{ allow: 'error-page', 'allow device': false },
    };
    expect(await answer).toBe(nothing[what]);
  },
);

it('judges a poll by the one that was noted just before it', async () => {
  const { client, deviceOf, poll } = await openTwo();
  const { device_code } = await deviceOf(client);
  const holding = await database.db.startTransaction().execute();
  await sql`select from device_requests for update`.execute(holding);
  const answers = [poll(client, device_code), poll(client, device_code)];
  await untilBlocked(database.db, { count: 2 });
  await holding.commit().execute();
  const errors = (await Promise.all(answers)).map((answer) => answer.json().error);
  expect(errors.sort()).toEqual(['authorization_pending', 'slow_down']);
});
