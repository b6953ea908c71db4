/** What `jobs` and `status` say about the work of all processes. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { claimCallbacks } from '../../src/service/batch/callbacks/callback-store.ts';
import { claimRows } from '../../src/service/batch/live/claim-store.ts';
import { pauseBatch } from '../../src/service/batch/manage/manage-batches.ts';
import { GRACE_MS } from '../../src/service/core/bounds.ts';
import { deleteAccount, endAccount } from '../../src/service/deletion/delete-account.ts';
import { listProcesses, removeProcess, touchProcess } from '../../src/service/jobs/process-store.ts';
import { makeAccount } from '../service/support/account.ts';
import { createBatch } from '../service/support/batch.ts';
import { completeWithCallback } from '../service/support/callbacks.ts';
import { testDatabase } from '../service/support/database.ts';
import { holdTimers } from '../service/support/held-timers.ts';
import { scriptVerifier, startLive } from '../service/support/live.ts';
import { PATIENTLY } from '../service/support/patience.ts';
import { addProcess, silence } from '../service/support/process.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);
beforeEach(async () => {
  for (const table of ['batches', 'verifications', 'conversations', 'processes'] as const) {
    await db.deleteFrom(table).execute();
  }
  // However slow the machine is, the database begins a verification within the grace.
  holdTimers((ms) => ms === GRACE_MS);
});

interface Line {
  readonly what: string;
  readonly count: number;
  readonly since: string | null;
  readonly in_words: string;
}
interface Jobs {
  readonly waiting: readonly Line[];
  readonly running: readonly Line[];
  readonly failed: readonly Line[];
  readonly processes: readonly { readonly id: string; readonly alive: boolean }[];
}
const jobs = () => admin.done<Jobs>('jobs');
const totals = async () => (await admin.done<{ jobs: object }>('status')).jobs;
const briefly = (lines: readonly Line[]) => lines.map(({ what, count }) => [what, count]);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

it('says that there is nothing to do', async () => {
  expect(await jobs()).toEqual({ waiting: [], running: [], failed: [], processes: [] });
  expect(await totals()).toEqual({ waiting: 0, running: 0, failed: 0, processes: 0 });
});

it('shows that deleted accounts still have data', async () => {
  const accountId = await makeAccount(db);
  await db.transaction().execute((transaction) => endAccount(transaction, accountId));
  const { waiting } = await jobs();
  const words = /^1 deleted account has data left, which workers delete\. The first was deleted .* ago\.$/;
  const in_words = expect.stringMatching(words);
  expect(waiting).toEqual([{ what: 'deleted accounts', count: 1, since: TIME, in_words }]);
  await deleteAccount(db, accountId);
  expect((await jobs()).waiting).toEqual([]);
});

it('shows which addresses of batches wait, and for what', async () => {
  const ready = await createBatch(db, 3);
  const later = await createBatch(db, 2);
  const paused = await createBatch(db, 1);
  await createBatch(db, 4, { mode: 'test' });
  await sql`
    update batch_rows set due_at = clock_timestamp() + make_interval(secs => 300 * place - 5)
    where batch_id = ${later.id}
  `.execute(db);
  const older = sql`update batches set created_at = created_at - interval '3 hours' where id = ${ready.id}`;
  await older.execute(db);
  await pauseBatch(db, { id: paused.id });
  const { waiting, running } = await jobs();
  expect(briefly(waiting)).toEqual([
    ['addresses of live batches that are tried again later', 2],
    ['addresses of live batches that are paused', 1],
    ['addresses of live batches that are ready', 3],
    ['addresses of batches of test keys that are ready', 4],
  ]);
  expect(waiting.map(({ in_words }) => in_words)).toEqual([
    expect.stringMatching(/temporary result\. The first is tried again now, the last in \d minutes\.$/),
    expect.stringMatching(/^1 address of 1 batch with a live key wait.* paused \d+ seconds? ago\.$/),
    '3 addresses of 1 batch with a live key can be verified now. The oldest batch was created 3 hours ago.',
    expect.stringMatching(/^4 addresses of 1 batch with a test key can be verified now/),
  ]);
  expect(waiting.map(({ since }) => since)).toEqual([null, TIME, TIME, TIME]);
  expect(running).toEqual([]);
  expect(await totals()).toEqual({ waiting: 10, running: 0, failed: 0, processes: 0 });
});

it('shows which process works on addresses, since when, and which one is dead', async () => {
  const { id } = await createBatch(db, 9);
  const [alive, idle, dead] = [randomUUID(), randomUUID(), randomUUID()];
  await touchProcess(db, dead, { host: 'worker.example', pid: 7 });
  await silence(db, dead);
  // A server that has just been started gives every process time to come back.
  const isDead = async () => (await listProcesses(db)).some(({ id, is_alive }) => id === dead && !is_alive);
  await vi.waitUntil(isDead, PATIENTLY);
  for (const process of [alive, idle]) await addProcess(db, process);
  await claimRows(db, alive, [{ id, most: 4 }]);
  await claimRows(db, idle, [{ id, most: 3 }]);
  await claimRows(db, dead, [{ id, most: 2 }]);
  await sql`insert into paces (organisation) values ('Example') on conflict do nothing`.execute(db);
  await sql`
    insert into conversations (id, organisation, process_id, begun_after, begun_at)
    values (gen_random_uuid(), 'Example', ${alive}, 0, clock_timestamp() - interval '4 minutes')
  `.execute(db);
  const { waiting, running, processes } = await jobs();
  expect(running).toHaveLength(2);
  expect(running).toContainEqual({
    ...{ what: 'addresses of live batches that a process has claimed', count: 4, since: TIME },
    in_words: `Process ${alive} works on 4 addresses of 1 batch. Its oldest conversation with a mail server began 4 minutes ago.`,
  });
  const ofIdle = { since: null, in_words: `Process ${idle} works on 3 addresses of 1 batch.` };
  expect(running).toContainEqual(expect.objectContaining(ofIdle));
  expect(waiting).toEqual([
    {
      what: 'addresses of live batches that a dead process has claimed',
      count: 2,
      since: null,
      in_words: `Process ${dead} is dead and has claimed 2 addresses of 1 batch. Another process takes them over within seconds.`,
    },
  ]);
  expect(processes).toEqual([
    { id: dead, host: 'worker.example', pid: 7, alive: false, started_at: TIME, seen_at: TIME },
    { id: alive, host: null, pid: null, alive: true, started_at: TIME, seen_at: TIME },
    { id: idle, host: null, pid: null, alive: true, started_at: TIME, seen_at: TIME },
  ]);
  expect(await totals()).toEqual({ waiting: 2, running: 7, failed: 0, processes: 2 });
});

it('shows running verifications, also after a 249, and those that have lost their process', async () => {
  const accountId = await makeAccount(db, 3);
  const question = { accountId, smtp: true, acceptAll: false, timeoutMs: 10 };
  const script = scriptVerifier();
  const [live, dead] = [await startLive(db, script.verifier), await startLive(db, script.verifier)];
  onTestFinished(async () => {
    script.answer('deliverable', 'always');
    await live.stop(1_000);
    await dead.stop(0);
  });
  await live.verify({ ...question, address: 'promised@example.com' });
  await dead.verify({ ...question, address: 'lost@example.com' });
  const waited = live.verify({ ...question, address: 'waited@example.com', timeoutMs: 20_000 });
  await script.called(3);
  await removeProcess(db, dead.processId);
  const { waiting, running } = await jobs();
  expect(briefly(running)).toEqual([['verifications of /v1/verify', 2]]);
  expect(briefly(waiting)).toEqual([['verifications of dead processes', 1]]);
  const words = /^2 verifications of .* are running, .* after a 249\. The oldest began \d+ seconds? ago\.$/;
  expect([...running, ...waiting].map(({ in_words }) => in_words)).toEqual([
    expect.stringMatching(words),
    expect.stringMatching(/^1 verification ended with a process that died\. Its credit is given back/),
  ]);
  script.answer();
  await waited;
});

it('shows results that should have been deleted, and failures', async () => {
  const [expired, failed] = [await createBatch(db, 1), await createBatch(db, 2)];
  const complete = (id: string, counts: object, expires: string) =>
    sql`
      update batches set completed_at = clock_timestamp() - interval '2 days',
        expires_at = clock_timestamp() + ${expires}::interval, reason_counts = ${JSON.stringify(counts)}::jsonb
      where id = ${id}
    `.execute(db);
  await complete(expired.id, { accepted_email: 1 }, '-2 minutes');
  await complete(failed.id, { accepted_email: 1, unexpected_error: 2 }, '1 day');
  const said = await jobs();
  expect(said.waiting).toEqual([
    {
      ...{ what: 'batches whose results have expired', count: 1, since: TIME },
      in_words:
        'The results of 1 batch have expired, the first 2 minutes ago. Their addresses are deleted within seconds.',
    },
  ]);
  expect(said.failed).toEqual([
    {
      ...{ what: 'addresses of live batches with unexpected_error', count: 2, since: TIME },
      in_words: expect.stringMatching(/^2 addresses of live batches got unexpected_error.* 2 days ago\./),
    },
  ]);
  expect(await totals()).toMatchObject({ waiting: 1, failed: 2 });
});

it('shows which callbacks are due, retried, being sent and failed', async () => {
  const url = 'https://receiver.example/hook';
  const made = [];
  for (let count = 0; count < 5; count += 1) made.push(await completeWithCallback(db, url));
  const [, retried, givenUp, delivered] = made;
  const tried = sql`attempt = 1, is_ready = false, tried_at = clock_timestamp() - interval '2 hours'`;
  await sql`
    update callbacks set ${tried}, due_at = clock_timestamp() + interval '1 hour' where batch_id = ${retried!.id}
  `.execute(db);
  await sql`
    update callbacks set ${tried}, due_at = null, given_up_at = clock_timestamp() - interval '1 hour'
    where batch_id = ${givenUp!.id}
  `.execute(db);
  await sql`
    update callbacks set ${tried}, due_at = null, delivered_at = clock_timestamp() where batch_id = ${delivered!.id}
  `.execute(db);
  await claimCallbacks(db, randomUUID(), { most: 1, mostOfAccount: 1, mostOfReceiver: 1 });
  const { waiting, running, failed } = await jobs();
  expect(briefly(waiting)).toEqual([
    ['callbacks that are due', 1],
    ['callbacks that are tried again later', 1],
  ]);
  expect(briefly(running)).toEqual([['callbacks that are being sent', 1]]);
  expect(briefly(failed)).toEqual([['callbacks that were given up', 1]]);
  expect([...waiting, ...running, ...failed].map(({ in_words }) => in_words)).toEqual([
    expect.stringMatching(/^1 callback can be sent now\. The oldest became due \d+ seconds? ago\.$/),
    expect.stringContaining('The last try of the oldest was 2 hours ago.'),
    expect.stringMatching(/^The service waits for the answer to 1 callback\. The oldest was sent/),
    expect.stringContaining('The first was given up 60 minutes ago.'),
  ]);
});

it('counts in status what waits and runs', async () => {
  const { id } = await createBatch(db, 3);
  await createBatch(db, 2, { mode: 'test' });
  await sql`
    update batch_rows set due_at = now() + interval '1 hour' where batch_id = ${id} and place = 1
  `.execute(db);
  await completeWithCallback(db, 'https://shop.example/done');
  const script = scriptVerifier();
  const live = await startLive(db, script.verifier);
  onTestFinished(async () => {
    script.answer('deliverable', 'always');
    await live.stop(1_000);
  });
  const accountId = await makeAccount(db, 1);
  const question = { accountId, smtp: true, acceptAll: false, timeoutMs: 10 };
  await live.verify({ ...question, address: 'promised@example.com' });
  expect(await admin.done('status')).toMatchObject({
    processes: { alive: 1, dead: 0 },
    queues: {
      addresses: { live: { ready: 2, later: 1 }, test: { ready: 2, later: 0 } },
      callbacks: { due: 1, retry: 0, being_sent: 0, given_up: 0 },
      verifications: 1,
    },
  });
});
