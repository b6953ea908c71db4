/** The lease of a real process, over its three kinds of work at once: what is taken over when it is killed or frozen. */
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { takeOverCallbacks } from '../../../src/service/batch/callbacks/callback-store.ts';
import { makeReady } from '../../../src/service/batch/live/claim-store.ts';
import { refundDead } from '../../../src/service/verify/live/live-store.ts';
import { creditsOf, ledgerOf, makeAccount } from '../support/account.ts';
import { answers, COMPLETED, claimedOf, createBatch, rowsOf, startWorker } from '../support/batch.ts';
import { completeWithCallback } from '../support/callbacks.ts';
import { type Child, prepareChildren } from '../support/children.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startReceiver } from '../support/receiver.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/jobs/child.ts');

/** A process in the middle of a verification, an address of a batch and a callback. */
async function startBusy() {
  await db.deleteFrom('batches').execute();
  await db.deleteFrom('processes').execute();
  const accountId = await makeAccount(db, 10);
  const batch = await createBatch(db, 1);
  const receiver = await startReceiver(() => {});
  const callback = await completeWithCallback(db, receiver.url);
  const child = children.start({ DATABASE_URL: databaseUrl, ACCOUNT_ID: accountId });
  onTestFinished(() => child.kill());
  const begun = [await child.next<{ begins: string }>(), await child.next<{ begins: string }>()];
  expect(begun.map(({ begins }) => begins).sort()).toEqual(['request@example.com', 'u0@d0.example']);
  await receiver.until(1);
  return { child, accountId, batch, callback };
}

type Busy = Awaited<ReturnType<typeof startBusy>>;

/** What another process does at each look. */
async function takeOver(): Promise<number> {
  await makeReady(db);
  await takeOverCallbacks(db);
  return refundDead(db);
}

async function expectUntouched({ accountId, batch, callback }: Busy): Promise<void> {
  expect(await takeOver()).toBe(0);
  expect([await creditsOf(db, accountId), await claimedOf(db, batch.id)]).toEqual([9, 1]);
  expect((await callback.read()).state).toBe('being sent');
}

async function expectTakenOver({ accountId, batch, callback }: Busy): Promise<void> {
  await vi.waitFor(async () => {
    await takeOver();
    expect([await creditsOf(db, accountId), await claimedOf(db, batch.id)]).toEqual([10, 0]);
  }, PATIENTLY);
  expect(await callback.read()).toMatchObject({ state: 'waiting', tries: [{ number: 1, status: null }] });
  const { rows } = await sql`select deaths from batch_rows where batch_id = ${batch.id}
    union all select deaths from callbacks where batch_id = ${callback.id}`.execute(db);
  expect(rows).toEqual([{ deaths: 1 }, { deaths: 1 }]);
}

it('is lost by a process that is killed, whatever the clocks show', async () => {
  const busy = await startBusy();
  await expectUntouched(busy);
  await sql`update processes set alive_at = alive_at + interval '1 hour'`.execute(db);
  await busy.child.kill();
  await expectTakenOver(busy);
  expect(await ledgerOf(db, busy.accountId)).toEqual({ 'top-up': 1, verification: 1, refund: 1 });
});

it('is lost by a process that is frozen, and its late ends change nothing', async () => {
  const busy = await startBusy();
  busy.child.freeze();
  // Its lock is still there.
  await sql`update processes set alive_at = alive_at - interval '10 seconds'`.execute(db);
  await expectUntouched(busy);
  // Instead of waiting for 30 seconds.
  await sql`update processes set suspected_at = clock_timestamp() - interval '11 seconds'`.execute(db);
  await expectTakenOver(busy);
  const worker = await startWorker(db, answers('deliverable'));
  await busy.batch.until(COMPLETED, 2);
  await worker.stop();
  await sql`update callbacks set due_at = clock_timestamp() + interval '1 day'`.execute(db);
  busy.child.thaw();
  busy.child.send('go on');
  await untilLine(busy.child, 'request');
  expect((await rowsOf(db, busy.batch.id)).map(({ reason }) => reason)).toEqual(['accepted_email']);
  expect(await ledgerOf(db, busy.batch.accountId)).toEqual({ 'top-up': 1, batch: 1 });
  expect((await busy.callback.read()).tries).toHaveLength(1);
  // The request began again, because its first verification had gone.
  expect(await ledgerOf(db, busy.accountId)).toEqual({ 'top-up': 1, verification: 2, refund: 1 });
  expect(await creditsOf(db, busy.accountId)).toBe(9);
});

async function untilLine(child: Child, key: string): Promise<void> {
  for (;;) if (key in (await child.next<object>())) return;
}
