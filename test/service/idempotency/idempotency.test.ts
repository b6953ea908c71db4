import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createIdempotency, type RepeatableResponse } from '../../../src/service/idempotency/idempotency.ts';
import { digestRequest } from '../../../src/service/idempotency/idempotency-header.ts';
import {
  findResponses,
  forgetResponses,
  freeKey,
  replaceResponses,
  storeResponse,
  takeKey,
} from '../../../src/service/idempotency/idempotency-store.ts';
import { inLong } from '../../in-long.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { creditsOf, ledgerOf, makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { holdGrace } from '../support/held-timers.ts';
import { type ScriptedVerifier, scriptVerifier, startLive } from '../support/live.ts';
import { addProcess, silence } from '../support/process.ts';

const { db, connect } = await testDatabase();
const grace = holdGrace();
const otherPool = connect();

const REQUEST = digestRequest('/v1/verify', '{"email":"ada@example.com"}');
const OTHER_REQUEST = digestRequest('/v1/verify', '{"email":"bob@example.com"}');
const SCOPE = { mode: 'live', route: '/v1/verify' } as const;
const keyed = (accountId: string, changes = {}) => ({
  ...{ accountId, ...SCOPE, key: 'k', request: REQUEST },
  ...changes,
});

async function startProcess(pool = db, processId = randomUUID()) {
  await addProcess(pool, processId);
  return { ...createIdempotency({ db: pool, processId }), processId };
}

/** A request that waits for the test. */
function open() {
  const { promise: response, resolve: finish, reject: fail } = withResolvers<RepeatableResponse>();
  const run = vi.fn(() => response);
  return { run, finish, fail, started: () => vi.waitUntil(() => run.mock.calls.length > 0) };
}

const respond = (body: string, status = 200) => vi.fn(async () => ({ status, body }));

it('repeats the first response byte for byte, in every process', async () => {
  const account = await makeAccount(db);
  const processes = [await startProcess(), await startProcess(otherPool)];
  const run = respond('{ "email": "ä" }\n');
  for (const [index, { run: runKeyed }] of [...processes, ...processes].entries()) {
    expect(await runKeyed(keyed(account), run)).toEqual({
      ...{ kind: 'response', response: { status: 200, body: '{ "email": "ä" }\n' }, isRepeated: index > 0 },
    });
  }
  expect(run).toHaveBeenCalledTimes(1);
});

it('lets a process store the response of a key that it has, once, and free the key until then', async () => {
  const account = await makeAccount(db);
  const [first, second] = [randomUUID(), randomUUID()];
  for (const processId of [first, second]) await addProcess(db, processId);
  const [one, other] = [keyed(account), keyed(account, { key: 'other' })];
  const response = { status: 200, body: '{}' };
  for (const request of [one, other]) expect(await takeKey(db, request, first)).toBe('taken');
  expect(await storeResponse(db, one, second, response)).toBe(false);
  await freeKey(db, one, second);
  expect(await takeKey(db, one, second)).toMatchObject({ status: null });
  await freeKey(db, one, first);
  expect(await takeKey(db, one, second)).toBe('taken');
  expect(await takeKey(db, other, second)).toMatchObject({ status: null });
  expect(await storeResponse(db, one, second, response)).toBe(true);
  expect(await storeResponse(db, one, second, { status: 500, body: '' })).toBe(false);
  await freeKey(db, one, second);
  expect(await takeKey(db, one, first)).toMatchObject(response);
});

inLong('keeps about the latest 10,000 responses to test keys of an account, which are free', async () => {
  const [account, other] = [await makeAccount(db), await makeAccount(db)];
  const process = createIdempotency({ db, processId: randomUUID() }, () => 0);
  for (const [accountId, mode] of [
    [account, 'test'],
    [account, 'live'],
    [other, 'test'],
  ])
    await sql`
      insert into idempotency (account_id, mode, route, key, request, status, body, process_id, created_at)
      select ${accountId}, ${mode}, '/v1/verify', 'k' || number, ${REQUEST}, 200, '{}', gen_random_uuid(),
        -- Each hundredth is a sample.
        date_trunc('second', clock_timestamp()) - make_interval(secs => number)
          + case when number % 100 = 0 then 0 else 1 end * interval '1 microsecond'
      from generate_series(1, 11000) as number
    `.execute(db);
  const test = keyed(account, { mode: 'test', key: 'latest' });
  await process.run(test, respond('{"n":1}'));
  for (let more = 0; more < 9; more += 1) await process.run({ ...test, key: `more ${more}` }, respond('{}'));
  const { rows } = await sql`
    select account_id = ${account} as is_own, mode, count(*)::integer, bool_or(key = 'latest') as has_latest
    from idempotency where account_id in (${account}, ${other}) group by 1, 2 order by 1, 2
  `.execute(db);
  expect(rows).toEqual([
    { is_own: false, mode: 'test', count: 11_000, has_latest: false },
    { is_own: true, mode: 'live', count: 11_000, has_latest: false },
    // Those since the 101st sample. The new ones may be samples themselves.
    { is_own: true, mode: 'test', count: expect.closeTo(10_000, -3), has_latest: true },
  ]);
  expect((await process.run(test, respond('{"n":2}'))).kind).toBe('response');
});

it.each([
  ['test', 4_096, true],
  ['test', 4_097, false],
  ['live', 4_097, true],
] as const)(
  'decides for %s keys whether a response of %i characters is repeated: %s',
  async (mode, length, isRepeated) => {
    const account = await makeAccount(db);
    const process = await startProcess();
    const run = respond('x'.repeat(length));
    for (const expected of [false, isRepeated])
      expect(await process.run(keyed(account, { mode }), run)).toMatchObject({ isRepeated: expected });
  },
);

it('refuses another request with the same key', async () => {
  const account = await makeAccount(db);
  const [first, other] = [await startProcess(), await startProcess(otherPool)];
  const running = open();
  const answer = first.run(keyed(account), running.run);
  await running.started();
  for (const process of [first, other])
    expect(await process.run(keyed(account, { request: OTHER_REQUEST }), running.run)).toEqual({
      kind: 'mismatch',
    });
  running.finish({ status: 200, body: '{}' });
  await answer;
  for (const process of [first, other])
    expect(await process.run(keyed(account, { request: OTHER_REQUEST }), running.run)).toEqual({
      kind: 'mismatch',
    });
  expect(running.run).toHaveBeenCalledTimes(1);
});

it('tells the endpoints apart', () => {
  expect(digestRequest('/v1/batch', '{}')).not.toEqual(digestRequest('/v1/verify', '{}'));
});

it('says that the first request runs', async () => {
  const account = await makeAccount(db);
  const [first, other] = [await startProcess(), await startProcess(otherPool)];
  const running = open();
  const answer = first.run(keyed(account), running.run);
  await running.started();
  for (const process of [first, other])
    expect(await process.run(keyed(account), running.run)).toEqual({ kind: 'running' });
  running.finish({ status: 200, body: '{}' });
  await answer;
  expect(running.run).toHaveBeenCalledTimes(1);
});

it('keeps the keys of accounts apart', async () => {
  const [one, two] = [await makeAccount(db), await makeAccount(db)];
  const process = await startProcess();
  await process.run(keyed(one), respond('one'));
  const answer = await process.run(keyed(two, { request: OTHER_REQUEST }), respond('two'));
  expect(answer).toMatchObject({ response: { body: 'two' } });
});

it('keeps test keys, live keys and routes apart, also while a request runs', async () => {
  const account = await makeAccount(db);
  const process = await startProcess();
  const scopes = [{}, { mode: 'test' }, { route: '/v1/batch' }, { mode: 'test', route: '/v1/batch' }];
  const running = scopes.map((scope) => ({ scope, ...open() }));
  const answers = running.map(({ scope, run }) => process.run(keyed(account, scope), run));
  for (const { started } of running) await started();
  for (const [index, { finish }] of running.entries()) finish({ status: 200, body: `response ${index}` });
  await Promise.all(answers);
  for (const [index, { scope, run }] of running.entries()) {
    const repeated = await process.run(keyed(account, scope), run);
    expect(repeated).toMatchObject({ isRepeated: true, response: { body: `response ${index}` } });
  }
});

it.each([249, 400, 402, 429, 500, 503])('frees the key after a %i', async (status) => {
  const account = await makeAccount(db);
  const process = await startProcess();
  const first = await process.run(keyed(account), respond('first', status));
  expect(first).toMatchObject({ kind: 'response', response: { status, body: 'first' } });
  const second = await process.run(keyed(account, { request: OTHER_REQUEST }), respond('second'));
  expect(second).toMatchObject({ response: { status: 200, body: 'second' } });
});

it('frees the key if the request fails', async () => {
  const account = await makeAccount(db);
  const process = await startProcess();
  const running = open();
  const answer = process.run(keyed(account), running.run);
  await running.started();
  running.fail(new Error('a bug'));
  await expect(answer).rejects.toThrow('a bug');
  expect(await process.run(keyed(account), respond('second'))).toMatchObject({ isRepeated: false });
});

it('frees the key if the process of the request dies, and ignores what it does afterwards', async () => {
  const account = await makeAccount(db);
  const [dead, other] = [await startProcess(), await startProcess(otherPool)];
  const running = open();
  const late = dead.run(keyed(account), running.run);
  await running.started();
  expect(await other.run(keyed(account), respond('second'))).toEqual({ kind: 'running' });
  await silence(db, dead.processId);
  expect(await other.run(keyed(account), respond('second'))).toMatchObject({ isRepeated: false });
  running.finish({ status: 200, body: 'late' });
  await late;
  expect(await other.run(keyed(account), respond('third'))).toMatchObject({ response: { body: 'second' } });
});

it('frees a key of this process that it does not know any more', async () => {
  const account = await makeAccount(db);
  const first = await startProcess();
  const running = open();
  void first.run(keyed(account), running.run);
  await running.started();
  const again = await startProcess(db, first.processId);
  expect(await again.run(keyed(account), respond('second'))).toMatchObject({ isRepeated: false });
});

it('frees a key after two minutes that its living process could not free', async () => {
  const account = await makeAccount(db);
  const [first, other] = [await startProcess(), await startProcess(otherPool)];
  // As when the database goes away before the request ends.
  await takeKey(db, keyed(account), first.processId);
  const run = respond('{}');
  expect(await other.run(keyed(account), run)).toEqual({ kind: 'running' });
  await sql`
    update idempotency set created_at = clock_timestamp() - interval '2 minutes' where account_id = ${account}
  `.execute(db);
  expect(await other.run(keyed(account), run)).toMatchObject({ kind: 'response', isRepeated: false });
  expect(run).toHaveBeenCalledTimes(1);
});

it('frees the key after a day', async () => {
  const account = await makeAccount(db);
  const process = await startProcess();
  await process.run(keyed(account), respond('first'));
  const pass = (time: string) =>
    sql`
      update idempotency set created_at = created_at - ${time}::interval where account_id = ${account}
    `.execute(db);
  await pass('23 hours 59 minutes');
  expect(await process.run(keyed(account), respond('second'))).toMatchObject({ isRepeated: true });
  await forgetResponses(db);
  expect(await process.run(keyed(account), respond('second'))).toMatchObject({ isRepeated: true });
  await pass('1 minute');
  const third = await process.run(keyed(account, { request: OTHER_REQUEST }), respond('third'));
  expect(third).toMatchObject({ response: { body: 'third' } });
  await pass('24 hours');
  await forgetResponses(db);
  const rows = await db.selectFrom('idempotency').where('account_id', '=', account).selectAll().execute();
  expect(rows).toEqual([]);
});

it('takes a key that becomes free while it looks at who has it', async () => {
  const account = await makeAccount(db);
  const [first, second] = [await startProcess(), await startProcess()];
  await takeKey(db, keyed(account), first.processId);
  let looks = 0;
  const raced = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      looks += 1;
      if (looks === 1) await freeKey(otherPool, keyed(account), first.processId);
      return result;
    },
  });
  expect(await takeKey(raced, keyed(account), second.processId)).toBe('taken');
  // Taken, not there, taken.
  expect(looks).toBe(3);
  expect(await takeKey(db, keyed(account), first.processId)).toMatchObject({ status: null });
});

it('finds and erases the responses about an address, the oldest first, and no other', async () => {
  const [account, other] = [await makeAccount(db), await makeAccount(db)];
  const process = await startProcess();
  const about = '{"email":"ada@example.com"}';
  for (const key of ['b', 'a', 'c'])
    await process.run(keyed(account, { key }), respond(key === 'c' ? '{}' : about));
  await process.run(keyed(other, { key: 'a' }), respond(about));
  const find = (accountId: string) => findResponses(db, accountId, ['ada@example.com']);
  const found = await find(account);
  expect(found.map(({ key }) => key)).toEqual(['b', 'a']);
  expect(await replaceResponses(db, account, found)).toBe(2);
  expect([await find(account), await find(other)]).toMatchObject([{ length: 0 }, { length: 1 }]);
});

/** A process that answers verifications with `Idempotency-Key`, as the route does. */
async function startVerifying(pool: typeof db, script: ScriptedVerifier, processId = randomUUID()) {
  const live = await startLive(pool, script.verifier, { processId });
  const idempotency = createIdempotency({ db: pool, processId: live.processId });
  const bodyOf = (result: object) => JSON.stringify(result);
  return (accountId: string, { key = 'k', address = 'ada@example.com', timeoutMs = 60_000 } = {}) => {
    const request = digestRequest('/v1/verify', address);
    return idempotency.run({ accountId, ...SCOPE, key, request }, async () => {
      const answer = await live.verify({
        ...{ accountId, address, smtp: true, acceptAll: false, timeoutMs },
        response: { key, bodyOf },
      });
      if (answer.kind !== 'result') return { status: 249, body: '' };
      return { status: 200, body: bodyOf(answer.result), isStored: answer.isResponseStored };
    });
  };
}

it('charges once for 50 parallel requests of two processes with one key', async () => {
  const account = await makeAccount(db, 10);
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  const processes = [await startVerifying(connect(15), script), await startVerifying(connect(15), script)];
  const requests = Array.from({ length: 50 }, (_, number) => processes[number % 2]!(account));
  const answers = await Promise.all(requests);
  const bodies = answers.flatMap((answer) => (answer.kind === 'response' ? [answer.response.body] : []));
  expect(new Set(bodies).size).toBe(1);
  expect(answers.filter(({ kind }) => kind === 'mismatch')).toEqual([]);
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(9);
  for (const verify of processes)
    expect(await verify(account)).toMatchObject({ isRepeated: true, response: { body: bodies[0] } });
});

it('stores the response in the transaction that ends the verification', async () => {
  const account = await makeAccount(db, 10);
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  const verify = await startVerifying(db, script);
  expect(await verify(account)).toMatchObject({ response: { isStored: true } });
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 1 });
});

it('keeps a key that is freed late, because the next request would lose it', async () => {
  const account = await makeAccount(db);
  const { promise: until, resolve: letGo } = withResolvers();
  onTestFinished(() => letGo());
  const run = respond('{}', 500);
  const slow = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (run.mock.calls.length > 0) await until;
      return result;
    },
  });
  const process = await startProcess(slow);
  const answer = process.run(keyed(account), run);
  await vi.waitUntil(() => grace.set.length > 0);
  grace.fire();
  expect(await answer).toMatchObject({ response: { status: 500 } });
  expect(await process.run(keyed(account), respond('{}'))).toEqual({ kind: 'running' });
  letGo();
  await vi.waitUntil(async () => (await process.run(keyed(account), respond('{"n":2}'))).kind === 'response');
});

const OF_BOB = { response: { body: expect.stringContaining('bob@') } };

it('does not store the response of a request that got a 249 for the next request with its key', async () => {
  const account = await makeAccount(db, 10);
  const script = scriptVerifier();
  const verify = await startVerifying(db, script);
  expect(await verify(account, { timeoutMs: 20 })).toMatchObject({ response: { status: 249 } });
  const answer = verify(account, { address: 'bob@example.com' });
  await script.called(2);
  script.answer();
  expect(await answer).toMatchObject(OF_BOB);
  expect(await verify(account, { address: 'bob@example.com' })).toMatchObject({
    ...OF_BOB,
    isRepeated: true,
  });
});

it('does not store the response of a process that was taken for dead for the next request with its key', async () => {
  const account = await makeAccount(db, 10);
  const [frozenScript, script] = [scriptVerifier(), scriptVerifier()];
  const frozenId = randomUUID();
  const frozen = await startVerifying(db, frozenScript, frozenId);
  const other = await startVerifying(otherPool, script);
  const late = frozen(account);
  await frozenScript.called(1);
  await silence(db, frozenId);
  const answer = other(account, { address: 'bob@example.com' });
  await script.called(1);
  frozenScript.answer();
  await late;
  script.answer();
  expect(await answer).toMatchObject(OF_BOB);
  expect(await other(account, { address: 'bob@example.com' })).toMatchObject({ ...OF_BOB, isRepeated: true });
});
