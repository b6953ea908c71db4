/** Results that are looked for again without being asked again, as the dashboard does. */
import { expect, it } from 'vitest';
import { removeProcess } from '../../../../src/service/jobs/process-store.ts';
import { questionDigest } from '../../../../src/service/verify/live/live-question.ts';
import { findRecallable } from '../../../../src/service/verify/live/live-store.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { scriptVerifier, startLive } from '../../support/live.ts';

const { db, connect } = await testDatabase();

async function start() {
  const accountId = await makeAccount(db, 10);
  const script = scriptVerifier();
  const [one, other] = [await startLive(db, script.verifier), await startLive(connect(), script.verifier)];
  const question = { accountId, address: 'ada@example.org', smtp: true, acceptAll: false };
  const kept = { ...question, timeoutMs: 60_000, isKept: true };
  const stop = async () => {
    script.giveUp();
    await Promise.all([one.stop(0), other.stop(0)]);
  };
  return { accountId, script, one, other, question, kept, stop };
}

it('finds a kept result in every process, and takes one credit', async () => {
  const { accountId, script, one, other, question, kept, stop } = await start();
  expect(await one.recall(question)).toEqual({ kind: 'gone' });
  const asked = one.verify(kept);
  await script.called(1);
  for (const process of [one, other]) expect((await process.recall(question)).kind).toBe('running');
  script.answer('deliverable');
  await asked;
  const result = { state: 'deliverable' };
  for (const process of [one, other])
    expect(await process.recall(question)).toMatchObject({ kind: 'result', result });
  expect((await other.verify(kept)).kind).toBe('result');
  expect([script.calls.length, await creditsOf(db, accountId)]).toEqual([1, 9]);
  expect(await one.recall({ ...question, acceptAll: true })).toEqual({ kind: 'gone' });
  await stop();
});

it('keeps the result of a verification that it has only joined, here and elsewhere', async () => {
  for (const joiner of ['one', 'other'] as const) {
    const processes = await start();
    const { accountId, script, one, question, kept, stop } = processes;
    const first = one.verify({ ...kept, isKept: false });
    await script.called(1);
    const joined = processes[joiner].verify(kept);
    const row = db.selectFrom('verifications').select('is_promised').where('account_id', '=', accountId);
    await expect.poll(() => row.executeTakeFirst()).toEqual({ is_promised: true });
    script.answer('deliverable');
    expect([(await first).kind, (await joined).kind]).toEqual(['result', 'result']);
    expect((await one.recall(question)).kind).toBe('result');
    expect((await one.verify(kept)).kind).toBe('result');
    expect([script.calls.length, await creditsOf(db, accountId)]).toEqual([1, 9]);
    await stop();
  }
});

it('finds the latest of several results that other requests have joined', async () => {
  const { accountId, script, one, other, question, stop } = await start();
  const joined = db
    .selectFrom('verifications')
    .where('account_id', '=', accountId)
    .where('is_joined', '=', true);
  const asked = { ...question, timeoutMs: 60_000 };
  for (const [earlier, state] of (['deliverable', 'risky', 'undeliverable'] as const).entries()) {
    const answers = [one.verify(asked)];
    await script.called(earlier + 1);
    answers.push(other.verify(asked));
    await expect.poll(() => joined.select('id').execute()).toHaveLength(earlier + 1);
    script.answer(state);
    await Promise.all(answers);
    expect(await one.recall(question)).toMatchObject({ kind: 'result', result: { state } });
  }
  await stop();
});

it('finds nothing for another account', async () => {
  const { accountId, script, one, question, kept, stop } = await start();
  script.answer('deliverable', 'always');
  await one.verify(kept);
  const other = await makeAccount(db);
  expect(await one.recall({ ...question, accountId: other })).toEqual({ kind: 'gone' });
  // Not even if the digests of both were equal.
  const digest = questionDigest(question);
  expect(await findRecallable(db, accountId, digest)).toMatchObject({ state: 'kept' });
  expect(await findRecallable(db, other, digest)).toBeUndefined();
  await stop();
});

it('finds nothing of a process that has died', async () => {
  const { script, one, other, question, kept, stop } = await start();
  const asked = one.verify(kept);
  await script.called(1);
  await removeProcess(db, one.processId);
  expect(await other.recall(question)).toEqual({ kind: 'gone' });
  await stop();
  await asked;
});
