/** Outcomes that are sealed on demand: who needs one gets it, whoever comes at whatever moment. */
import { type KyselyPlugin, sql } from 'kysely';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Db } from '../../../../src/service/database/schema.ts';
import * as sealing from '../../../../src/service/verify/live/live-question.ts';
import { coalesceCalls, forgetKept } from '../../../../src/service/verify/live/live-store.ts';
import type { LiveRequest } from '../../../../src/service/verify/live/live-verifications.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testDatabase } from '../../support/database.ts';
import { holdGrace } from '../../support/held-timers.ts';
import {
  countBegun,
  type ScriptedVerifier,
  scriptVerifier,
  startLive,
  untilJoined,
} from '../../support/live.ts';
import { onRows } from '../../support/plugins.ts';
import { silence } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';

const { db, connect } = await testDatabase();
holdGrace();
const [first, second] = [connect(1, 'first'), connect(1, 'second')];

let script: ScriptedVerifier;
beforeEach(() => {
  script = scriptVerifier();
});

const question = (accountId: string, timeoutMs = 60_000): LiveRequest => ({
  ...{ accountId, address: 'ada@example.com', smtp: true, acceptAll: false, timeoutMs },
});
const rowsOf = (accountId: string) =>
  db.selectFrom('verifications').selectAll().where('account_id', '=', accountId).execute();
const RESULT = { kind: 'result', result: resultOf('ada@example.com') };

/** Counts the ends, and can hold up or lose the reply to one of them. */
function watchEnds(onReply: (number: number) => Promise<void> | void = () => {}) {
  const endings: string[] = [];
  const plugin = onRows(([row = {}]) => {
    const { ending } = row as { ending?: string };
    return ending && onReply(endings.push(ending));
  });
  return { endings, plugin };
}

/** Asks in two processes, of which the second joins the first. Both get the result. */
async function askInTwo(account: string, plugin: KyselyPlugin): Promise<void> {
  const own = await startLive(first.withPlugin(plugin), script.verifier);
  const other = await startLive(second, script.verifier);
  const answers = [own.verify(question(account))];
  await script.called(1);
  answers.push(other.verify(question(account)));
  await untilJoined(db, account);
  script.answer();
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject(RESULT);
}

it('seals nothing if nobody needs it', async () => {
  const account = await makeAccount(db, 1);
  const { endings, plugin } = watchEnds();
  const live = await startLive(db.withPlugin(plugin), script.verifier);
  script.answer('deliverable', 'always');
  expect(await live.verify(question(account))).toMatchObject(RESULT);
  expect(endings).toEqual(['ended']);
  expect(await rowsOf(account)).toEqual([]);
});

it('ends at once if a request of its own process has joined or got a 249', async () => {
  const account = await makeAccount(db, 2);
  const { endings, plugin } = watchEnds();
  const { counted, untilBegun } = countBegun(db.withPlugin(plugin));
  const live = await startLive(counted, script.verifier);
  const answers = [live.verify(question(account)), live.verify(question(account))];
  await untilBegun(2);
  script.answer();
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject(RESULT);
  expect(await live.verify(question(account, 20))).toEqual({ kind: 'try-again' });
  script.answer();
  await vi.waitUntil(() => endings.length === 2);
  expect(await live.verify(question(account))).toMatchObject(RESULT);
  expect(endings).toEqual(['ended', 'ended']);
});

it('is asked for the outcome if a request of another process has joined', async () => {
  const account = await makeAccount(db, 1);
  const { endings, plugin } = watchEnds();
  await askInTwo(account, plugin);
  expect(endings).toEqual(['outcome needed', 'ended']);
  expect(script.calls).toHaveLength(1);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 1 });
});

it('keeps an outcome that was joined for half a minute, so that every process can read it', async () => {
  const account = await makeAccount(db, 1);
  await askInTwo(account, watchEnds().plugin);
  await forgetKept(db);
  expect(await rowsOf(account)).toMatchObject([{ state: 'kept', is_promised: false }]);
  await sql`
    update verifications set expires_at = expires_at - interval '31 seconds' where account_id = ${account}
  `.execute(db);
  await forgetKept(db);
  expect(await rowsOf(account)).toEqual([]);
});

it('keeps the outcome for the 249 that another process gives between the two calls', async () => {
  const account = await makeAccount(db, 1);
  const { promise: held, resolve: goOn } = withResolvers();
  const { endings, plugin } = watchEnds((number) => (number === 1 ? held : undefined));
  const own = await startLive(db.withPlugin(plugin), script.verifier);
  const other = await startLive(second, script.verifier);
  const answer = own.verify(question(account));
  await script.called(1);
  const hasty = other.verify(question(account, 60));
  await untilJoined(db, account);
  script.answer();
  await vi.waitUntil(() => endings.length === 1);
  expect(await hasty).toEqual({ kind: 'try-again' });
  goOn();
  expect(await answer).toMatchObject(RESULT);
  expect(await rowsOf(account)).toMatchObject([{ state: 'kept', is_promised: true }]);
  expect(await other.verify(question(account))).toMatchObject(RESULT);
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(0);
});

const callsOn = (from: Db) => coalesceCalls(from, { processId: crypto.randomUUID(), keepSeconds: 300 });

/** Makes a row, and returns how to end it without an outcome. */
async function beginRow(accountId: string) {
  const live = await startLive(db, script.verifier);
  void live.verify(question(accountId)).catch(() => {});
  await script.called(1);
  const { id } = (await rowsOf(accountId))[0]!;
  const ending = { id, accountId, givesBack: false, isPromised: false, hasOutcome: true };
  const end = (from: Db, outcome?: Buffer) => callsOn(from).finish({ ...ending, outcome });
  return { end, processId: live.processId };
}

it('is asked for the outcome by a request that joins while the end waits for it', async () => {
  const account = await makeAccount(db, 1);
  const { end } = await beginRow(account);
  const { ending, joined } = await db.transaction().execute(async (joining) => {
    // As a request does that joins. It has not committed yet.
    const joined = await callsOn(joining).begin({
      ...{ id: crypto.randomUUID(), accountId: account, isWanted: () => true },
      question: sealing.questionDigest(question(account)),
    });
    const { endings, plugin } = watchEnds();
    const ending = end(first.withPlugin(plugin));
    await vi.waitUntil(() => endings.includes('busy'));
    return { ending: { promise: ending }, joined };
  });
  expect(joined.answer).toBe('running');
  expect(await ending.promise).toBe('outcome needed');
  const outcome = sealing.sealOutcome(question(account), { result: RESULT.result, evidence: [] });
  expect(await end(first, outcome)).toBe('ended');
  expect(await rowsOf(account)).toMatchObject([{ state: 'kept', outcome }]);
});

it('lets a request begin anew that comes while the end removes the row', async () => {
  const account = await makeAccount(db, 2);
  const { end } = await beginRow(account);
  const other = await startLive(second, script.verifier);
  const { late } = await db.transaction().execute(async (ending) => {
    expect(await end(ending)).toBe('ended');
    const late = other.verify(question(account));
    await untilBlocked(db, { name: 'second' });
    return { late };
  });
  await script.called(2);
  script.answer('deliverable', 'always');
  expect(await late).toMatchObject(RESULT);
  expect(await creditsOf(db, account)).toBe(0);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 2 });
});

it('charges once if the process dies between the two calls', async () => {
  const account = await makeAccount(db, 1);
  const { end, processId } = await beginRow(account);
  const other = await startLive(second, script.verifier);
  const joined = other.verify(question(account));
  await untilJoined(db, account);
  expect(await end(first)).toBe('outcome needed');
  await silence(db, processId);
  // The request that has joined takes over.
  await script.called(2);
  const outcome = sealing.sealOutcome(question(account), { result: RESULT.result, evidence: [] });
  expect(await end(first, outcome)).toBe('lost');
  script.answer('deliverable', 'always');
  expect(await joined).toMatchObject(RESULT);
  expect(await creditsOf(db, account)).toBe(0);
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 2, refund: 1 });
});

it.each([1, 2])('answers with the result if the reply to call %i of the end was lost', async (lost) => {
  const account = await makeAccount(db, 1);
  const { endings, plugin } = watchEnds((number) => {
    if (number === lost) throw new Error('Connection terminated unexpectedly');
  });
  await askInTwo(account, plugin);
  const later = lost === 1 ? ['outcome needed', 'ended'] : ['ended', 'lost'];
  expect(endings).toEqual(['outcome needed', ...later]);
  expect(script.calls).toHaveLength(1);
  expect(await creditsOf(db, account)).toBe(0);
});

it('refunds an unknown result once, whether or not its outcome is needed', async () => {
  const account = await makeAccount(db, 1);
  const [own, other] = [await startLive(first, script.verifier), await startLive(second, script.verifier)];
  for (const isJoined of [false, true]) {
    const answers = [own.verify(question(account))];
    await script.called(isJoined ? 2 : 1);
    if (isJoined) {
      answers.push(other.verify(question(account)));
      await untilJoined(db, account);
    }
    script.answer('unknown');
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ kind: 'result' });
    expect(await creditsOf(db, account)).toBe(1);
  }
  expect(await ledgerOf(db, account)).toEqual({ 'top-up': 1, verification: 2, refund: 2 });
});
