/** Addresses that end the processes which verify them. */
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Verifier } from '../../../../src/engine/verifier.ts';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { makeReady, mayVerifySuspects } from '../../../../src/service/batch/live/claim-store.ts';
import { auditBooks } from '../../../../src/service/books/audit-books.ts';
import { removeProcess } from '../../../../src/service/jobs/process-store.ts';
import { inLong } from '../../../in-long.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf } from '../../support/account.ts';
import { answers, COMPLETED, claimedOf, createBatch, rowsOf, startWorker } from '../../support/batch.ts';
import { prepareChildren } from '../../support/children.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { PUBLIC_URL, settingsWith } from '../../support/deps.ts';
import { scriptVerifier } from '../../support/live.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { onRows } from '../../support/plugins.ts';

vi.mock('../../../../src/service/batch/live/claim-store.ts', { spy: true });

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/batch/live/child.ts');
emptyBeforeEach(db, 'batches');

/** Longer than a slow machine takes. */
const LONG_MS = 1e9;

/** The deaths of the addresses, in the order of their places. */
async function deathsOf(id: string): Promise<number[]> {
  const rows = db.selectFrom('batch_rows').select('deaths').where('batch_id', '=', id).orderBy('place');
  return (await rows.execute()).map(({ deaths }) => deaths);
}

/** As if so many processes had died over some of the addresses. */
const setDeaths = (id: string, deaths: number, places: readonly number[]) =>
  sql`
    update batch_rows set deaths = ${deaths}, due_at = clock_timestamp()
    where batch_id = ${id} and place = any(${places}::integer[])
  `.execute(db);

it('counts a death for the addresses that had begun, and not for those that were only claimed', async () => {
  const batch = await createBatch(db, 10, { domain: () => 'x.example' });
  const script = scriptVerifier();
  // Its turn waits for what is at work, so nothing begins again.
  const worker = await startWorker(db, script.verifier, { longMs: LONG_MS });
  await script.called(4);
  await removeProcess(db, worker.processId);
  await makeReady(db);
  // It skips what the worker's own look has locked.
  const deaths = async () => (await deathsOf(batch.id)).sort();
  await expect.poll(deaths, PATIENTLY).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
  expect((await rowsOf(db, batch.id)).filter(({ due_at }) => due_at !== null)).toHaveLength(4);
  script.answer();
});

it('verifies an address over which a process died alone, and the others side by side', async () => {
  const batch = await createBatch(db, 40);
  await setDeaths(batch.id, 1, [3, 14, 15]);
  await setDeaths(batch.id, 2, [9]);
  const atOnce: Record<string, number> = {};
  const atWork = new Set<string>();
  const verifier: Verifier = async (request) => {
    const { address } = request;
    atWork.add(address);
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise(setImmediate);
      for (const one of atWork) atOnce[one] = Math.max(atOnce[one] ?? 0, atWork.size);
    }
    atWork.delete(address);
    return answers('deliverable')(request);
  };
  await startWorker(db, verifier, { longMs: LONG_MS });
  await batch.until(COMPLETED, 41);
  const suspects = [3, 9, 14, 15].map((place) => atOnce[`u${place}@d${place}.example`]);
  expect(suspects).toEqual([1, 1, 1, 1]);
  expect(Math.max(...Object.values(atOnce))).toBeGreaterThan(5);
});

it('leaves to others what has not begun while its turn waits for silent mail servers', async () => {
  const batch = await createBatch(db, 20, { domain: () => 'x.example' });
  const suspect = await createBatch(db, 1);
  const postpone = (time: string) =>
    sql`
      update batch_rows set due_at = due_at + ${time}::interval where batch_id = ${suspect.id}
    `.execute(db);
  await setDeaths(suspect.id, 1, [0]);
  await postpone('1 hour');
  const script = scriptVerifier();
  const silent = await startWorker(db, script.verifier, { longMs: LONG_MS });
  await script.called(4);
  await expect.poll(() => claimedOf(db, batch.id), PATIENTLY).toBe(20);
  await postpone('-1 hour');
  silent.wake();
  await expect.poll(() => claimedOf(db, batch.id), PATIENTLY).toBe(4);
  // After some seconds, the next process takes a turn.
  await postpone('-6 seconds');
  await startWorker(db, answers('deliverable'));
  await suspect.until(COMPLETED, 2);
  const verified = async () => (await rowsOf(db, batch.id)).filter(({ reason }) => reason !== null);
  await expect.poll(verified, PATIENTLY).toHaveLength(16);
  script.answer('deliverable', 'always');
  await batch.until(COMPLETED, 21);
});

it('goes on with the batches of others while suspects wait for silent mail servers', async () => {
  const suspects = await createBatch(db, 3, { domain: () => 'silent.example' });
  await setDeaths(suspects.id, 1, [0, 1, 2]);
  const script = scriptVerifier();
  const verifier: Verifier = (request) =>
    request.address.endsWith('@silent.example') ? script.verifier(request) : answers('deliverable')(request);
  await startWorker(db, verifier, { longMs: 1 });
  await script.called(1);
  for (let count = 0; count < 3; count += 1) await (await createBatch(db, 10)).until(COMPLETED, 11);
  // The others wait for the end of the first.
  expect(await claimedOf(db, suspects.id)).toBe(1);
});

it('keeps the claim of a suspect whose reply comes when its turn is over', async () => {
  const suspect = await createBatch(db, 1);
  await setDeaths(suspect.id, 1, [0]);
  let looks = 0;
  let isClaimed = false;
  const { promise: until, resolve: letGo } = withResolvers();
  onTestFinished(() => letGo());
  const slowly = onRows((rows) => {
    if (!rows.some((row) => 'tries' in row)) return;
    isClaimed = true;
    return until;
  });
  const monitor = {
    goesOn() {},
    ended() {
      if (isClaimed) looks += 1;
    },
  };
  const script = scriptVerifier();
  await startWorker(db, script.verifier, { db: db.withPlugin(slowly), longMs: 1, monitor });
  // Each look releases claims that the worker does not know.
  await vi.waitUntil(() => looks > 1);
  expect(await claimedOf(db, suspect.id)).toBe(1);
  letGo();
  await script.called(1);
  script.answer();
  await suspect.until(COMPLETED, 2);
});

it('ends an address after three deaths as our own fault, and gives its credit back whatever the settings say', async () => {
  const batch = await createBatch(db, 3, { retries: false });
  await setDeaths(batch.id, 3, [1]);
  const asked: string[] = [];
  const log = vi.fn();
  const verifier: Verifier = (request) => {
    asked.push(request.address);
    return answers('unknown')(request);
  };
  await startWorker(db, verifier, { log, settings: settingsWith({ refundUnknown: false }) });
  await batch.until(COMPLETED, 4);
  expect(asked.sort()).toEqual(['u0@d0.example', 'u2@d2.example']);
  const reason_counts = { no_connect: 2, unexpected_error: 1 };
  expect(await readStatus(db, batch, PUBLIC_URL)).toMatchObject({ reason_counts });
  expect(await creditsOf(db, batch.accountId)).toBe(1);
  expect((await auditBooks(db)).filter(({ account }) => account === batch.accountId)).toEqual([]);
  expect(log.mock.calls).toEqual([['error', 'poison', { batch: batch.id, place: 1 }]]);
});

it('makes an address that is tried again wait for its turn alone', async () => {
  const batch = await createBatch(db, 1);
  await setDeaths(batch.id, 1, [0]);
  const worker = await startWorker(db, answers('unknown'));
  await expect.poll(async () => (await rowsOf(db, batch.id))[0], PATIENTLY).toMatchObject({ tries: 1 });
  await worker.stop();
  await sql`update batch_rows set due_at = clock_timestamp() where batch_id = ${batch.id}`.execute(db);
  expect(await makeReady(db)).toBe(true);
  expect((await rowsOf(db, batch.id))[0]!.due_at).not.toBeNull();
});

inLong('goes on with batches of others beside two processes that die of an address', async () => {
  const poisoned = await createBatch(db, 30, { domain: (place) => `p${place}.example`, retries: false });
  const other = await createBatch(db, 200, { domain: (place) => `d${place % 20}.example`, retries: false });
  const poison = 'u7@p7.example';
  let deaths = 0;
  let isOver = false;
  /** A worker, and another one after each death. */
  const keepOn = async () => {
    while (!isOver) {
      const child = children.start({ DATABASE_URL: databaseUrl, MOST: 'Infinity', POISON: poison });
      await child.ended();
      if (!isOver) deaths += 1;
      // Instead of waiting for seconds. The other one keeps its lock.
      await sql`update processes set alive_at = alive_at - interval '4 seconds'`.execute(db);
    }
  };
  const workers = [keepOn(), keepOn()];
  await other.until(COMPLETED, 201);
  await poisoned.until(COMPLETED, 31);
  isOver = true;
  await children.end();
  await Promise.all(workers);
  expect(deaths).toBe(3);
  const body = await readStatus(db, poisoned, PUBLIC_URL);
  const { emails } = body as unknown as { emails: object[] };
  expect(emails[7]).toMatchObject({ email: poison, reason: 'unexpected_error', state: 'unknown' });
  expect(body).toMatchObject({ reason_counts: { unexpected_error: 1 }, total_counts: { processed: 31 } });
  // The others were at work with it at most once.
  const all = [...(await deathsOf(poisoned.id)), ...(await deathsOf(other.id))];
  expect(all.filter((count) => count > 1)).toEqual([3]);
});

it('goes on with other work while another process takes the turn', async () => {
  // For as long as the test needs, however slow: test/service/jobs/suspect-store.test.ts says who takes it, and when.
  vi.mocked(mayVerifySuspects).mockResolvedValue(false);
  onTestFinished(() => void vi.mocked(mayVerifySuspects).mockReset());
  // Before a worker could claim it like any other.
  const suspect = await createBatch(db, 1);
  await setDeaths(suspect.id, 1, [0]);
  const batch = await createBatch(db, 40, { domain: () => 'x.example' });
  const script = scriptVerifier();
  const worker = await startWorker(db, script.verifier);
  await script.called(4);
  // During a turn, it would not claim this one.
  await createBatch(db, 1, { domain: () => 'y.example' });
  worker.wake();
  await script.called(5);
  expect(script.calls.at(-1)!.address).toMatch(/@y\.example$/);
  expect(await claimedOf(db, batch.id)).toBe(40);
});
