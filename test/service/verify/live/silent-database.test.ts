/** A database that stops responding while a verification runs. The timeout bounds the response all the same. */
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Verifier } from '../../../../src/engine/verifier.ts';
import type { Log } from '../../../../src/service/core/log.ts';
import { columnTypes } from '../../../../src/service/database/column-types.ts';
import type { Schema } from '../../../../src/service/database/schema.ts';
import { DatabaseAwayError } from '../../../../src/service/database/unavailable.ts';
import { createIdempotency } from '../../../../src/service/idempotency/idempotency.ts';
import { digestRequest } from '../../../../src/service/idempotency/idempotency-header.ts';
import type { Deadline } from '../../../../src/service/verify/live/deadline.ts';
import type { LiveRequest } from '../../../../src/service/verify/live/live-verifications.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { type HeldTimers, holdTimers } from '../../support/held-timers.ts';
import { type ScriptedVerifier, scriptVerifier, startLive } from '../../support/live.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { onQueries } from '../../support/plugins.ts';
import { resultOf } from '../../support/result.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { makeCustomer, startStoredService } from '../../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;
/** How much longer than its timeout a request may wait. */
const GRACE_MS = 300;

let script: ScriptedVerifier;
let timers: HeldTimers;
beforeEach(() => {
  script = scriptVerifier();
  timers = holdTimers((ms) => ms === GRACE_MS);
  return () => void vi.restoreAllMocks();
});

/** A deadline that the test lets pass. */
function createDeadline() {
  const { promise: passed, resolve: pass } = withResolvers<'late'>();
  const over = new AbortController();
  const { signal } = over;
  const deadline: Deadline = {
    ...{ passed, signal, clear() {} },
    get isPassed() {
      return signal.aborted;
    },
  };
  return {
    deadline,
    pass() {
      over.abort();
      pass('late');
    },
  };
}

/** A database that can stop responding. */
async function startBehind() {
  const proxy = await startSilentProxy(database.url);
  const pool = new pg.Pool({ connectionString: proxy.url, max: 4, types: columnTypes });
  pool.on('error', () => {});
  const behind = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  onTestFinished(async () => {
    proxy.speak();
    await behind.destroy();
  });
  return { proxy, behind };
}

/** A process behind a proxy, and its account with a credit. */
async function start() {
  const { proxy, behind } = await startBehind();
  const { deadline, pass } = createDeadline();
  const logged: unknown[] = [];
  const log: Log = (_level, event, details) => void logged.push([event, details]);
  const { live } = await startLive(behind, script.verifier, { deadlineAfter: () => deadline, log });
  const accountId = await makeAccount(db, 1);
  const question: LiveRequest = {
    ...{ accountId, address: 'ada@example.com', smtp: true, acceptAll: false, timeoutMs: 5_000 },
  };
  return { proxy, pass, live, accountId, question, logged };
}

/** The deadline passes, then the grace. Nothing else ends a wait. */
async function passAll(pass: () => void): Promise<void> {
  pass();
  await vi.waitUntil(() => timers.set.length > 0, PATIENTLY);
  timers.fire();
}

it('answers 503 if the database is silent when the verification starts, and takes no credit in the end', async () => {
  const { proxy, pass, live, accountId, question } = await start();
  proxy.silence();
  const refused = expect(live.verify(question)).rejects.toMatchObject({ code: 'databaseSlow', status: 503 });
  await passAll(pass);
  await refused;
  proxy.speak();
  await vi.waitUntil(async () => (await ledgerOf(db, accountId)).refund === 1, PATIENTLY);
  expect(await creditsOf(db, accountId)).toBe(1);
  expect(script.calls).toEqual([]);
});

it('answers 249 if the database is silent and the verification is not over', async () => {
  const { proxy, pass, live, accountId, question } = await start();
  const answer = live.verify(question);
  await script.called(1);
  proxy.silence();
  pass();
  expect(await answer).toEqual({ kind: 'try-again' });
  proxy.speak();
  script.answer();
  const kept = db.selectFrom('verifications').select('state').where('account_id', '=', accountId);
  await vi.waitUntil(async () => (await kept.executeTakeFirst())?.state === 'kept', PATIENTLY);
});

it('answers with the result if the database is silent when the verification ends', async () => {
  const { proxy, pass, live, accountId, question, logged } = await start();
  const answer = live.verify(question);
  await script.called(1);
  const row = db.selectFrom('verifications').select('id').where('account_id', '=', accountId);
  const { id } = await row.executeTakeFirstOrThrow();
  proxy.silence();
  script.answer();
  await passAll(pass);
  expect(await answer).toMatchObject({ kind: 'result', result: resultOf('ada@example.com') });
  // Until it is booked, the death of the process would make it free.
  expect(logged).toEqual([['result sent before it was booked', { verification: id }]]);
  proxy.speak();
  await live.stop();
  expect(await creditsOf(db, accountId)).toBe(0);
});

it('does not count an unknown result as sent before it was booked, because it costs nothing', async () => {
  const { proxy, pass, live, question, logged } = await start();
  const answer = live.verify(question);
  await script.called(1);
  proxy.silence();
  script.answer('unknown');
  await passAll(pass);
  expect(await answer).toMatchObject({ kind: 'result' });
  expect(logged).toEqual([]);
  proxy.speak();
  await live.stop();
});

it('charges a result that was sent before it was booked when the process stops', async () => {
  let isAway = false;
  const fail = onQueries(() => {
    if (isAway) throw new DatabaseAwayError('The database is away.');
  });
  const { deadline, pass } = createDeadline();
  const { live } = await startLive(db.withPlugin(fail), script.verifier, { deadlineAfter: () => deadline });
  const accountId = await makeAccount(db, 1);
  const answer = live.verify({
    ...{ accountId, address: 'ada@example.com', smtp: true, acceptAll: false, timeoutMs: 5_000 },
  });
  await script.called(1);
  isAway = true;
  script.answer();
  await passAll(pass);
  expect(await answer).toMatchObject({ kind: 'result' });
  isAway = false;
  // Before it tries again.
  await live.stop(0);
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, verification: 1 });
});

it.each([
  ['503', 'private', 503],
  ['with a result that is counted later', 'public', 200],
] as const)(
  'answers %s if the database is silent when a %s test key gets a result',
  async (_, kind, status) => {
    vi.restoreAllMocks();
    // The rest of the timeout, however late on a busy machine, but not the 10 seconds of idle connections.
    timers = holdTimers((ms) => ms > 1_000 && ms <= 10_000 + GRACE_MS && ms !== 10_000);
    const { proxy, behind } = await startBehind();
    const sampleVerifier: Verifier = async ({ address }) => {
      proxy.silence();
      return { result: resultOf(address), evidence: [] };
    };
    const service = await startStoredService(behind, { sampleVerifier });
    const { accountId, key } = await makeCustomer(db, 0, { kind });
    const url = `/v1/verify?email=ada@example.com&timeout=10&api_key=${key}`;
    const answer = service.ask({ url, headers: { origin: 'https://shop.example' } });
    await vi.waitUntil(() => timers.set.length > 0, PATIENTLY);
    timers.fire();
    expect((await answer).statusCode).toBe(status);
    proxy.speak();
    const counted = db.selectFrom('daily_results').select('count').where('account_id', '=', accountId);
    await vi.waitUntil(async () => (await counted.executeTakeFirst())?.count === 1, PATIENTLY);
  },
);

it('sends the response of a test key although the database is silent when older responses are counted', async () => {
  const { proxy, behind } = await startBehind();
  const { run } = createIdempotency({ db: behind, processId: randomUUID() }, () => 0);
  const accountId = await makeAccount(db);
  const request = digestRequest('/v1/verify', '{"email":"ada@example.com"}');
  const keyed = { accountId, mode: 'test', route: '/v1/verify', key: 'k', request } as const;
  const sent = run(keyed, async () => {
    proxy.silence();
    return { status: 200, body: '{}', longestMs: 0 };
  });
  expect(await sent).toMatchObject({ kind: 'response', isRepeated: false });
});
