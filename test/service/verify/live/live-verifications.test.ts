import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createStoredRateLimit } from '../../../../src/service/limits/stored-rate.ts';
import { questionDigest } from '../../../../src/service/verify/live/live-question.ts';
import {
  coalesceCalls,
  GIVEN_BACK,
  readRunning,
  strayVerifications,
} from '../../../../src/service/verify/live/live-store.ts';
import type { LiveRequest } from '../../../../src/service/verify/live/live-verifications.ts';
import { creditsOf, ledgerOf, makeAccount, topUp } from '../../support/account.ts';
import { addressesAt } from '../../support/batch.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testDatabase } from '../../support/database.ts';
import { settingsWith } from '../../support/deps.ts';
import { holdGrace } from '../../support/held-timers.ts';
import {
  countBegun,
  type ScriptedVerifier,
  scriptVerifier,
  startLive,
  untilJoined,
} from '../../support/live.ts';
import { onQueries, onRows } from '../../support/plugins.ts';
import { cutConnections, silence } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';
import { beginSecond } from '../../support/stored-service.ts';

const { db, connect } = await testDatabase();
holdGrace();
const otherPool = connect();

let script: ScriptedVerifier;
beforeEach(() => {
  script = scriptVerifier();
  return () => void vi.restoreAllMocks();
});

/** Long enough that no test waits for it, short enough that an error ends the test. */
const PATIENT_MS = 60_000;
/** Short enough to wait for. */
const HASTY_MS = 30;

const question = (accountId: string, changes: Partial<LiveRequest> = {}): LiveRequest => ({
  ...{ accountId, address: 'ada@example.com', smtp: true, acceptAll: false, timeoutMs: PATIENT_MS },
  ...changes,
});

const rowsOf = (accountId: string) =>
  db.selectFrom('verifications').selectAll().where('account_id', '=', accountId).execute();

async function passTime(accountId: string, seconds: number): Promise<void> {
  await sql`
    update verifications set expires_at = expires_at - make_interval(secs => ${seconds})
    where account_id = ${accountId}
  `.execute(db);
}

/** An account with these credits, and a process. */
async function open(credits = 0) {
  const account = await makeAccount(db, credits);
  return { account, live: await startLive(db, script.verifier) };
}

/** Two processes. */
const openTwo = async (credits: number) => ({
  ...(await open(credits)),
  other: await startLive(otherPool, script.verifier),
});

it('takes one credit for a result, and leaves no row', async () => {
  const { account, live } = await open(2);
  script.answer('deliverable', 'always');
  const answer = await live.verify(question(account));
  expect(answer).toMatchObject({ kind: 'result', result: resultOf('ada@example.com') });
  expect(await creditsOf(db, account)).toBe(1);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 1 });
  expect(await rowsOf(account)).toEqual([]);
});

it('takes the credit before the verification starts', async () => {
  const { account, live } = await open(1);
  const answer = live.verify(question(account));
  await script.called(1);
  expect(await creditsOf(db, account)).toBe(0);
  script.answer();
  await answer;
});

it('needs two round trips, and one if the result is kept or the rate is exceeded', async () => {
  const account = await makeAccount(db, 5);
  let queries = 0;
  const counter = onQueries(() => {
    queries += 1;
  });
  const live = await startLive(db.withPlugin(counter), script.verifier);
  const count = async (request: LiveRequest) => {
    queries = 0;
    const { kind } = await live.verify(request);
    return [kind, queries];
  };
  const rate = { endpoint: '/v1/verify', limit: 1000 };
  const late = count(question(account, { timeoutMs: HASTY_MS, rate }));
  expect(await late).toEqual(['try-again', 1]);
  script.answer('deliverable', 'always');
  await vi.waitUntil(() => queries === 2);
  await vi.waitUntil(async () => (await rowsOf(account))[0]?.state === 'kept');
  expect(await count(question(account, { rate }))).toEqual(['result', 1]);
  expect(await count(question(account, { address: 'b@example.com', rate }))).toEqual(['result', 2]);
  expect(await count(question(account, { rate: { ...rate, limit: 0 } }))).toEqual(['rate-exceeded', 1]);
});

it('says how many credits are missing, and starts nothing', async () => {
  const { account, live } = await open();
  expect(await live.verify(question(account))).toEqual({ kind: 'no-credits', needed: 1, available: 0 });
  expect(script.calls).toEqual([]);
  expect(await rowsOf(account)).toEqual([]);
});

it('charges the same question again after a plain result', async () => {
  const { account, live } = await open(5);
  script.answer('deliverable', 'always');
  await live.verify(question(account));
  await live.verify(question(account));
  expect(script.calls).toHaveLength(2);
  expect(await creditsOf(db, account)).toBe(3);
});

it('shares one conversation and one credit between equal requests of one process', async () => {
  const { account, live } = await open(5);
  const answers = [live.verify(question(account)), live.verify(question(account))];
  await untilJoined(db, account);
  script.answer('deliverable', 'always');
  for (const { kind } of await Promise.all(answers)) expect(kind).toBe('result');
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(4);
});

it('shares one conversation and one credit between equal requests of two processes', async () => {
  const { account, live: first, other: second } = await openTwo(5);
  const answers = [first.verify(question(account))];
  await script.called(1);
  answers.push(second.verify(question(account, { timeoutMs: PATIENT_MS + 1 })));
  await untilJoined(db, account);
  script.answer('risky');
  for (const answer of await Promise.all(answers))
    expect(answer).toMatchObject({ kind: 'result', result: { state: 'risky' } });
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(4);

  // Nobody got a 249, so the question costs again.
  script.answer('deliverable', 'always');
  expect(await second.verify(question(account))).toMatchObject({ result: { state: 'deliverable' } });
  expect(await creditsOf(db, account)).toBe(3);
});

it('starts one conversation for 40 equal requests that arrive at two processes together', async () => {
  const account = await makeAccount(db, 50);
  const pools = [connect(10), connect(10)];
  const processes = await Promise.all(pools.map((pool) => startLive(pool, script.verifier)));
  // The requests are to meet in the database, so the connections have to be open.
  for (const pool of pools) await Promise.all(Array.from({ length: 10 }, () => sql`select 1`.execute(pool)));
  const hasty = question(account, { timeoutMs: HASTY_MS });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, number) => processes[number % 2]!.verify(hasty)),
  );
  for (const answer of answers) expect(answer).toEqual({ kind: 'try-again' });
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(49);
});

it('charges two spellings of one mailbox once, and answers each as it was typed', async () => {
  const { account, live } = await open(5);
  const spellings = ['jos\u00e9+x@münchen.example', 'jose\u0301+x@xn--mnchen-3ya.example'];
  const answers = spellings.map((address) => live.verify(question(account, { address, isKept: true })));
  await script.called(1);
  await untilJoined(db, account);
  script.answer();
  const shown = [];
  for (const answer of await Promise.all(answers)) {
    if (answer.kind !== 'result') throw new Error(`Expected a result, got ${answer.kind}.`);
    const { email, user, tag, domain } = answer.result;
    shown.push([email, user, tag, domain]);
  }
  expect(shown).toEqual([
    [spellings[0], 'jos\u00e9', 'x', 'münchen.example'],
    [spellings[1], 'jose\u0301', 'x', 'xn--mnchen-3ya.example'],
  ]);
  const recalled = await live.recall(question(account, { address: spellings[1]! }));
  expect(recalled).toMatchObject({ result: { email: spellings[1] } });
  expect(await creditsOf(db, account)).toBe(4);
  expect(script.calls).toHaveLength(1);
});

const OTHERS: Partial<LiveRequest>[] = [{ smtp: false }, { acceptAll: true }, { address: 'Ada@example.com' }];
it.each(OTHERS)('charges another question by itself: %j', async (other) => {
  const { account, live } = await open(5);
  const answers = [live.verify(question(account)), live.verify(question(account, other))];
  await script.called(2);
  script.answer();
  await Promise.all(answers);
  expect(await creditsOf(db, account)).toBe(3);
});

it('charges another account by itself', async () => {
  const accounts = [await makeAccount(db, 1), await makeAccount(db, 1)];
  const live = await startLive(db, script.verifier);
  const answers = accounts.map((account) => live.verify(question(account)));
  await script.called(2);
  script.answer();
  for (const { kind } of await Promise.all(answers)) expect(kind).toBe('result');
});

it('answers eight equal requests of two processes with a 249 in time, for one credit in all', async () => {
  const { account, live, other } = await openTwo(5);
  const ask = (number: number, timeoutMs: number) =>
    (number % 2 ? other : live).verify(question(account, { timeoutMs: timeoutMs + number }));
  const askAll = (timeoutMs: number) =>
    Promise.all(Array.from({ length: 8 }, (_, number) => ask(number, timeoutMs)));
  for (const answer of await askAll(HASTY_MS)) expect(answer).toEqual({ kind: 'try-again' });
  const joined = askAll(PATIENT_MS);
  script.answer();
  const results = [...(await joined), ...(await askAll(PATIENT_MS))];
  for (const answer of results) expect(answer).toMatchObject({ result: resultOf('ada@example.com') });
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(4);

  await passTime(account, 301);
  const again = other.verify(question(account));
  await script.called(2);
  script.answer();
  expect(await again).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(3);
});

it('ends the wait of a joined request after its own timeout', async () => {
  const { account, live: first, other: second } = await openTwo(1);
  const patient = first.verify(question(account));
  await script.called(1);
  expect(await second.verify(question(account, { timeoutMs: HASTY_MS }))).toEqual({ kind: 'try-again' });
  expect(await first.verify(question(account, { timeoutMs: HASTY_MS }))).toEqual({ kind: 'try-again' });
  script.answer();
  await patient;
  // Both got a 249 for what the first request has paid.
  expect(await second.verify(question(account))).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(0);
});

it('refunds an unknown result once, and keeps it for the requests that got a 249', async () => {
  const { account, live } = await open(5);
  expect(await live.verify(question(account, { timeoutMs: HASTY_MS }))).toEqual({ kind: 'try-again' });
  script.answer('unknown');
  await vi.waitUntil(async () => (await rowsOf(account))[0]?.state === 'kept');
  for (const _ of [1, 2])
    expect(await live.verify(question(account))).toMatchObject({ result: { state: 'unknown' } });
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(5);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 1, refund: 1 });
});

it('has refunded an unknown result before it answers', async () => {
  const { account, live } = await open(5);
  script.answer('unknown', 'always');
  expect(await live.verify(question(account))).toMatchObject({ result: { state: 'unknown' } });
  expect(await creditsOf(db, account)).toBe(5);
});

it('charges unknown results if they are not refunded', async () => {
  const account = await makeAccount(db, 5);
  const live = await startLive(db, script.verifier, { settings: settingsWith({ refundUnknown: false }) });
  script.answer('unknown', 'always');
  await live.verify(question(account));
  expect(await creditsOf(db, account)).toBe(4);
});

it('refunds and rejects every request if the verifier fails', async () => {
  const account = await makeAccount(db, 5);
  const { counted, untilBegun } = countBegun(db);
  const live = await startLive(counted, script.verifier);
  const answers = [live.verify(question(account)), live.verify(question(account))];
  // One that hears of it later begins anew.
  await untilBegun(2);
  script.fail(new Error('a bug'));
  for (const answer of await Promise.allSettled(answers))
    expect(answer).toMatchObject({ status: 'rejected' });
  expect(await creditsOf(db, account)).toBe(5);
  expect(await rowsOf(account)).toEqual([]);
});

it('refunds if the verifier gives up without a result', async () => {
  const { account, live } = await open(5);
  const answer = live.verify(question(account));
  await script.called(1);
  script.giveUp();
  expect(await answer).toEqual({ kind: 'try-again' });
  expect(await creditsOf(db, account)).toBe(5);
});

it('waits for the result that comes after the time of the verifier', async () => {
  const account = await makeAccount(db, 1);
  const later = Promise.resolve({ result: resultOf('ada@example.com'), evidence: [] });
  const live = await startLive(db, async () => ({ result: undefined, later }));
  expect(await live.verify(question(account))).toMatchObject({ kind: 'result' });
});

it('takes over the verification of a dead process for one credit', async () => {
  const { account, live: dead, other: living } = await openTwo(1);
  const lost = dead.verify(question(account, { timeoutMs: HASTY_MS }));
  await script.called(1);
  await lost;
  await silence(db, dead.processId);
  const answer = living.verify(question(account));
  await script.called(2);
  script.answer();
  expect(await answer).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(0);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 2, refund: 1 });
});

it('takes over while it waits, if the process dies that it waits for', async () => {
  const { account, live: dead, other: living } = await openTwo(1);
  void dead.verify(question(account, { timeoutMs: HASTY_MS }));
  await script.called(1);
  const answer = living.verify(question(account));
  await untilJoined(db, account);
  await silence(db, dead.processId);
  await script.called(2);
  script.answer();
  expect(await answer).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(0);
});

it('charges once if a process that was taken for dead comes back with a result', async () => {
  const { account, live: frozen, other } = await openTwo(5);
  const answer = frozen.verify(question(account));
  await script.called(1);
  await silence(db, frozen.processId);
  await other.refundLost();
  expect(await creditsOf(db, account)).toBe(5);
  script.answer('risky');
  await script.called(2);
  script.answer('deliverable');
  expect(await answer).toMatchObject({ result: { state: 'deliverable' } });
  expect(await creditsOf(db, account)).toBe(4);
});

it('refunds the verifications of dead processes once, even if several processes notice', async () => {
  const { account, live: dead } = await open(200);
  const hasty = addressesAt(150).map((address) => question(account, { address, timeoutMs: HASTY_MS }));
  await Promise.all(hasty.map(dead.verify));
  expect(await creditsOf(db, account)).toBe(50);
  const others = [await startLive(db, script.verifier), await startLive(otherPool, script.verifier)];
  await others[0]!.refundLost();
  expect(await creditsOf(db, account)).toBe(50);
  await silence(db, dead.processId);
  await Promise.all(others.map((live) => live.refundLost()));
  expect(await creditsOf(db, account)).toBe(200);
  expect(await rowsOf(account)).toEqual([]);
});

it('gives back what this process has begun without knowing it', async () => {
  const { account, live } = await open(5);
  const known = live.verify(question(account));
  await script.called(1);
  // The reply to the beginning was lost with its connection.
  const forgotten = await startLive(otherPool, script.verifier, { processId: live.processId });
  await forgotten.verify(question(account, { address: 'b@example.com', timeoutMs: HASTY_MS }));
  expect(await creditsOf(db, account)).toBe(3);
  await live.refundLost();
  expect(await creditsOf(db, account)).toBe(4);
  script.answer();
  expect(await known).toMatchObject({ kind: 'result' });
});

it('begins again if the same question was begun by this process without knowing it', async () => {
  const { account, live } = await open(1);
  const forgotten = await startLive(otherPool, script.verifier, { processId: live.processId });
  await forgotten.verify(question(account, { timeoutMs: HASTY_MS }));
  const answer = live.verify(question(account));
  await script.called(2);
  script.answer();
  expect(await answer).toMatchObject({ kind: 'result' });
  expect(await creditsOf(db, account)).toBe(0);
});

it('counts a request whatever its answer, and does nothing else once the rate is exceeded', async () => {
  const { account, live } = await open();
  const rate = { endpoint: '/v1/verify', limit: 2 };
  await beginSecond(db, account, rate.endpoint);
  const first = await live.verify(question(account, { rate }));
  expect(first).toMatchObject({ kind: 'no-credits', rate: { count: 2, limit: 2, remaining: 0 } });
  await topUp(db, account, 1);
  const second = await live.verify(question(account, { rate }));
  expect(second).toMatchObject({ kind: 'rate-exceeded', rate: { count: 3, isExceeded: true } });
  expect(await creditsOf(db, account)).toBe(1);
  const counted = await createStoredRateLimit(db).consume({ ...rate, subject: account });
  expect(counted).toMatchObject({ count: 4 });
});

it('stores no address and no result in clear, and opens the result for the same question only', async () => {
  const { account, live } = await open(1);
  await live.verify(question(account, { address: 'secret@example.com', timeoutMs: HASTY_MS }));
  script.answer();
  await vi.waitUntil(async () => (await rowsOf(account))[0]?.state === 'kept');
  const [row] = await rowsOf(account);
  for (const stored of [row!.question, row!.outcome!]) {
    expect(stored.includes('secret')).toBe(false);
    expect(stored.includes('deliverable')).toBe(false);
  }
  // The row of another question is not readable, even if it is found.
  const other = question(account, { address: 'other@example.com' });
  const changed = { question: questionDigest(other) };
  await db.updateTable('verifications').set(changed).where('id', '=', row!.id).execute();
  await expect(live.verify(other)).rejects.toThrow();
});

it('answers that the account has gone', async () => {
  const live = await startLive(db, script.verifier);
  expect(await live.verify(question('acc_gone'))).toEqual({ kind: 'no-account' });
});

it('waits for what runs when it stops', async () => {
  const { account, live } = await open(1);
  await live.verify(question(account, { timeoutMs: HASTY_MS }));
  const stopped = live.stop();
  script.answer();
  await stopped;
  expect(await rowsOf(account)).toMatchObject([{ state: 'kept', is_promised: true }]);
});

it('gives back what still runs when the time to stop is over', async () => {
  const { account, live } = await open(1);
  const answer = live.verify(question(account));
  await script.called(1);
  await live.stop(1);
  expect(await answer).toEqual({ kind: 'try-again' });
  expect(await creditsOf(db, account)).toBe(1);
  expect(await strayVerifications(db, live.processId, [])).toEqual([]);
  // A result that comes afterwards changes nothing.
  script.answer();
  await live.stop(1000);
  expect(await creditsOf(db, account)).toBe(1);
});

it('books the end again after its connection was lost', async () => {
  const account = await makeAccount(db, 1);
  const live = await startLive(connect(1, 'to be cut'), script.verifier);
  const answer = live.verify(question(account));
  await script.called(1);
  // The lock of the table holds the end up until its connection is gone.
  await db.transaction().execute(async (transaction) => {
    await sql`lock table verifications in share mode`.execute(transaction);
    script.answer();
    await untilBlocked(db, { name: 'to be cut' });
    await cutConnections(db, 'to be cut');
  });
  expect(await answer).toMatchObject({ kind: 'result' });
  expect(await rowsOf(account)).toEqual([]);
  expect(await creditsOf(db, account)).toBe(0);
});

/** Loses the first reply that has this column. */
function loseReply(column: string) {
  const losing = { replies: 0 };
  const plugin = onRows(([first = {}]) => {
    if (!(column in first)) return;
    losing.replies += 1;
    if (losing.replies === 1) throw new Error('Connection terminated unexpectedly');
  });
  return Object.assign(losing, plugin);
}

it('answers with the result if only the reply to the booking was lost', async () => {
  const account = await makeAccount(db, 1);
  const losing = loseReply('ending');
  const live = await startLive(db.withPlugin(losing), script.verifier);
  script.answer('deliverable', 'always');
  expect(await live.verify(question(account))).toMatchObject({ kind: 'result' });
  expect(losing.replies).toBe(2);
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(0);
});

it('charges for the result again if another process gave the credit back while the booking failed', async () => {
  const account = await makeAccount(db, 1);
  let failed = 0;
  let isBroken = true;
  const breaking = onQueries((node) => {
    if (!isBroken || !JSON.stringify(node).includes('settle_verifications')) return;
    failed += 1;
    throw new Error('Connection terminated unexpectedly');
  });
  const live = await startLive(db.withPlugin(breaking), script.verifier);
  const answer = live.verify(question(account));
  await script.called(1);
  const { id } = (await rowsOf(account))[0]!;
  script.answer('deliverable', 'always');
  await vi.waitUntil(() => failed > 0);
  const other = coalesceCalls(db, { processId: crypto.randomUUID(), keepSeconds: 300 });
  expect(await other.finish({ id, accountId: account, ...GIVEN_BACK })).toBe('ended');
  isBroken = false;
  expect(await answer).toMatchObject({ kind: 'result' });
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 2, refund: 1 });
  expect(await creditsOf(db, account)).toBe(0);
});

it('goes on waiting for another process after a look has failed', async () => {
  const account = await makeAccount(db, 1);
  const losing = loseReply('is_alive');
  const first = await startLive(otherPool, script.verifier);
  const second = await startLive(db.withPlugin(losing), script.verifier);
  const answers = [first.verify(question(account))];
  await script.called(1);
  answers.push(second.verify(question(account)));
  await vi.waitUntil(() => losing.replies > 0);
  script.answer();
  for (const { kind } of await Promise.all(answers)) expect(kind).toBe('result');
  expect(losing.replies).toBeGreaterThan(1);
});

it('looks only at the verifications of other processes that it waits for', async () => {
  const { account, live } = await open(2);
  const seen: unknown[] = [];
  const watching = onRows((rows) => {
    for (const row of rows) if ('is_alive' in row) seen.push(row.id);
  });
  const other = await startLive(otherPool.withPlugin(watching), script.verifier);
  const [first, second] = [question(account), question(account, { address: 'b@example.com' })];
  const answers = [live.verify(first), live.verify(second)];
  await script.called(2);
  answers.push(other.verify(first));
  await vi.waitUntil(() => seen.length > 0);
  script.answer();
  await Promise.all(answers);
  expect(new Set(seen).size).toBe(1);
});

it('reports since when verifications run in living processes and in dead ones', async () => {
  const own = await testDatabase(onTestFinished);
  const account = await makeAccount(own.db, 4);
  const [living, dead] = [await startLive(own.db, script.verifier), await startLive(own.db, script.verifier)];
  for (const [number, live] of [living, dead, living, dead].entries())
    await live.verify(question(account, { address: `a${number}@example.com`, timeoutMs: HASTY_MS }));
  await silence(own.db, dead.processId);
  const started = await own.db
    .selectFrom('verifications')
    .select('started_at as since')
    .orderBy('started_at')
    .execute();
  expect(await readRunning(own.db)).toEqual([
    { is_alive: true, count: 2, ...started[0] },
    { is_alive: false, count: 2, ...started[1] },
  ]);
});

it('refunds a beginning whose reply was lost, and rejects its request', async () => {
  const account = await makeAccount(db, 1);
  const live = await startLive(db.withPlugin(loseReply('verification_id')), script.verifier);
  await expect(live.verify(question(account))).rejects.toThrow('Connection terminated');
  expect(await creditsOf(db, account)).toBe(0);
  await live.refundLost();
  expect(await creditsOf(db, account)).toBe(1);
});

it('answers 10 of 100 parallel requests of two processes on 10 credits, and starts no other', async () => {
  const account = await makeAccount(db, 10);
  script.answer('deliverable', 'always');
  const pools = [connect(20), connect(20)];
  const processes = await Promise.all(pools.map((pool) => startLive(pool, script.verifier)));
  const questions = addressesAt(100).map((address) => question(account, { address }));
  const answers = await Promise.all(questions.map((one, number) => processes[number % 2]!.verify(one)));
  expect(answers.filter(({ kind }) => kind === 'result')).toHaveLength(10);
  const refused = answers.filter((answer) => answer.kind === 'no-credits');
  expect(refused).toHaveLength(90);
  for (const answer of refused) expect(answer).toMatchObject({ needed: 1, available: 0 });
  expect(script.calls).toHaveLength(10);
  expect(await creditsOf(db, account)).toBe(0);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 10 });
});
