import { describe, expect, it, vi } from 'vitest';
import { HELD_BACK } from '../../../../src/engine/verdict.ts';
import type { Verified, Verifier } from '../../../../src/engine/verifier.ts';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { forgetResults } from '../../../../src/service/batch/batch-store.ts';
import { claimRows, finishRows } from '../../../../src/service/batch/live/claim-store.ts';
import { deleteBatch, pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { workOff } from '../../../../src/service/batch/samples.ts';
import { readLedger } from '../../../../src/service/credits/credit-store.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import {
  answers,
  COMPLETED,
  claimedOf,
  createBatch,
  OPEN,
  PAUSED,
  rowsOf,
  startWorker,
} from '../../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { DEPS, PUBLIC_URL } from '../../support/deps.ts';
import { scriptVerifier } from '../../support/live.ts';
import { resultOf } from '../../support/result.ts';
import { makeCustomer, startStoredService } from '../../support/stored-service.ts';

const { db, connect } = await testDatabase();
// What a test leaves open is not the next one's.
emptyBeforeEach(db, 'batches');

const UUID = '00000000-0000-4000-8000-000000000001';
const UNKNOWN_ID = '0123456789abcdef01234567';
/** Deletes it, and gives the credits of unknown results back. */
const remove = (named: { id: string; accountId?: string }, pool = db) =>
  deleteBatch(pool, named, { refundUnknown: true });

/** Completes it with these states, without a worker. */
async function completed(count: number) {
  const batch = await createBatch(db, count, { retries: false });
  await startWorker(db, answers('unknown'));
  await batch.until(COMPLETED, count + 1);
  return batch;
}

describe('what comes of it', () => {
  it("is told for a batch that does not exist, or is another account's", async () => {
    const { id } = await createBatch(db, 1);
    const other = await makeAccount(db);
    for (const named of [{ id: UNKNOWN_ID }, { id, accountId: other }]) {
      expect(await pauseBatch(db, named)).toBe('no such batch');
      expect(await resumeBatch(db, named)).toBe('no such batch');
      expect(await remove(named)).toEqual({ kind: 'no such batch' });
    }
    expect(await db.selectFrom('batches').select('id').execute()).toEqual([{ id }]);
  });

  it('is told for a batch that is in this state already', async () => {
    const { id, accountId, status } = await createBatch(db, 1);
    expect(await resumeBatch(db, { id, accountId })).toBe('not paused');
    expect(await pauseBatch(db, { id, accountId })).toBe('paused');
    expect(await pauseBatch(db, { id, accountId })).toBe('paused already');
    expect(await status()).toEqual([PAUSED, 0]);
    expect(await resumeBatch(db, { id, accountId })).toBe('resumed');
    expect(await status()).toEqual([OPEN, 0]);
  });

  it('is told for a completed batch', async () => {
    const { id } = await completed(1);
    for (const change of [pauseBatch, resumeBatch])
      expect(await change(db, { id })).toBe('completed already');
  });
});

describe('pausing', () => {
  it('stores what is on its way, gives back the rest, and begins nothing until the batch is resumed', async () => {
    const batch = await createBatch(db, 20, { domain: () => 'x.example' });
    const script = scriptVerifier();
    await startWorker(db, script.verifier);
    await script.called(4);
    await pauseBatch(db, { id: batch.id });
    await vi.waitFor(async () => expect(await claimedOf(db, batch.id)).toBe(4));
    script.answer();
    await batch.until(PAUSED, 5);
    expect([script.calls.length, await claimedOf(db, batch.id)]).toEqual([4, 0]);
    script.answer('deliverable', 'always');
    await resumeBatch(db, { id: batch.id });
    await batch.until(COMPLETED, 21);
    expect(new Set(script.calls.map(({ address }) => address)).size).toBe(20);
    expect(script.calls).toHaveLength(20);
  });

  it('begins nothing with an address whose mail servers are found out meanwhile', async () => {
    const batch = await createBatch(db, 3);
    const asked = new Set<string>();
    const { promise: organisation, resolve: found } = withResolvers<string>();
    const script = scriptVerifier();
    const findOrganisation = (address: string) => {
      asked.add(address);
      return organisation;
    };
    await startWorker(db, script.verifier, { findOrganisation });
    await vi.waitUntil(() => asked.size === 3);
    await pauseBatch(db, { id: batch.id });
    await vi.waitFor(async () => expect(await claimedOf(db, batch.id)).toBe(0));
    found('Example');
    await organisation;
    expect(script.calls).toEqual([]);
    script.answer('deliverable', 'always');
    await resumeBatch(db, { id: batch.id });
    await batch.until(COMPLETED, 4);
    expect(script.calls).toHaveLength(3);
  });

  it('calls off what waits for its mail servers, without a try and without holding up other batches', async () => {
    const batch = await createBatch(db, 2, { domain: () => 'x.example', retries: false });
    const HELD: Verified['evidence'] = [{ atMs: 0, stage: 'verdict', rule: HELD_BACK, text: '' }];
    const waiting: string[] = [];
    let isOpen = false;
    const verifier: Verifier = (request) => {
      const { address, calledOff } = request;
      if (isOpen) return answers('deliverable')(request);
      waiting.push(address);
      const held = { result: resultOf(address, 'unknown'), evidence: HELD };
      return new Promise((resolve) => calledOff!.addEventListener('abort', () => resolve(held)));
    };
    await startWorker(db, verifier, { closedMs: 60_000 });
    await vi.waitUntil(() => waiting.length === 2);
    await pauseBatch(db, { id: batch.id });
    await vi.waitFor(async () => expect(await claimedOf(db, batch.id)).toBe(0));
    const ends = (await rowsOf(db, batch.id)).map(({ tries, reason }) => [tries, reason]);
    expect(ends).toEqual(Array(2).fill([0, null]));
    isOpen = true;
    await resumeBatch(db, { id: batch.id });
    await batch.until(COMPLETED, 3);
  });

  it('claims nothing of a batch that was paused a moment ago', async () => {
    const { id } = await createBatch(db, 1);
    await pauseBatch(db, { id });
    expect(await claimRows(db, UUID, [{ id, most: 1 }])).toEqual([]);
  });

  it('keeps the time of the next try', async () => {
    const batch = await createBatch(db, 1);
    await startWorker(db, answers('unknown'));
    await vi.waitFor(async () => expect((await rowsOf(db, batch.id))[0]).toMatchObject({ tries: 1 }));
    const [before] = await rowsOf(db, batch.id);
    await pauseBatch(db, { id: batch.id });
    await resumeBatch(db, { id: batch.id });
    expect((await rowsOf(db, batch.id))[0]).toEqual(before);
  });

  it('leaves a batch open whose last result comes meanwhile, and resuming completes it', async () => {
    const batch = await createBatch(db, 1);
    const script = scriptVerifier();
    const worker = await startWorker(db, script.verifier);
    await script.called(1);
    await pauseBatch(db, { id: batch.id });
    script.answer();
    await batch.until(PAUSED, 2);
    await worker.stop(1_000);
    await startWorker(db, script.verifier);
    expect(await batch.status()).toEqual([PAUSED, 2]);
    await resumeBatch(db, { id: batch.id });
    await batch.until(COMPLETED, 2);
    expect(await creditsOf(db, batch.accountId)).toBe(0);
  });

  it('stops the batches of test keys, too', async () => {
    const batch = await createBatch(db, 2_000, { mode: 'test' });
    await pauseBatch(db, { id: batch.id });
    await workOff({ ...DEPS, db });
    expect(await batch.status()).toEqual([PAUSED, 0]);
    await resumeBatch(db, { id: batch.id });
    await workOff({ ...DEPS, db });
    expect(await batch.status()).toEqual([COMPLETED, 2_001]);
  });
});

describe('deleting', () => {
  it('gives back a credit for each address without a result, and for each unknown one', async () => {
    const { id, accountId } = await createBatch(db, 10);
    const claimed = await claimRows(db, UUID, [{ id, most: 5 }]);
    const states = ['deliverable', 'deliverable', 'deliverable', 'unknown'] as const;
    const finishes = states.map((state, index) => ({
      ...{ row: claimed[index]!, result: resultOf(claimed[index]!.address, state) },
    }));
    await finishRows(db, UUID, finishes);
    expect(await remove({ id, accountId })).toEqual({ kind: 'deleted', refunded: 7 });
    expect(await creditsOf(db, accountId)).toBe(7);
    const [refund] = await readLedger(db, accountId, 1);
    expect(refund).toMatchObject({ amount: 7, why: 'batch-refund', of: id });
    expect(await readStatus(db, { id, accountId }, PUBLIC_URL)).toBeUndefined();
    // What a worker still has of it ends silently.
    await finishRows(db, UUID, [{ row: claimed[4]!, result: resultOf('u4@d4.example') }]);
    while (await forgetResults(db));
    expect(await rowsOf(db, id)).toEqual([]);
    expect(await remove({ id })).toEqual({ kind: 'no such batch' });
    expect(await creditsOf(db, accountId)).toBe(7);
  });

  it('keeps the credits of unknown results if the operator says so', async () => {
    const batch = await createBatch(db, 2);
    const [row] = await claimRows(db, UUID, [{ id: batch.id, most: 1 }]);
    await finishRows(db, UUID, [{ row: row!, result: resultOf('u0@d0.example', 'unknown') }]);
    expect(await deleteBatch(db, { id: batch.id }, { refundUnknown: false })).toMatchObject({ refunded: 1 });
  });

  it('gives nothing back for a completed batch, whose unknown results have been refunded', async () => {
    const batch = await completed(3);
    expect(await creditsOf(db, batch.accountId)).toBe(3);
    expect(await remove({ id: batch.id })).toEqual({ kind: 'deleted', refunded: 0 });
    expect(await ledgerOf(db, batch.accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
    expect(await creditsOf(db, batch.accountId)).toBe(3);
  });

  it('gives nothing back for a test key, which took nothing', async () => {
    const batch = await createBatch(db, 3, { mode: 'test' });
    expect(await remove({ id: batch.id })).toEqual({ kind: 'deleted', refunded: 0 });
    expect(await ledgerOf(db, batch.accountId)).toEqual({});
  });

  it('begins with no further address of the batch', async () => {
    const batch = await createBatch(db, 20, { domain: () => 'x.example' });
    const script = scriptVerifier();
    await startWorker(db, script.verifier);
    await script.called(4);
    await remove({ id: batch.id });
    // The worker looks again before it takes another batch.
    const next = await createBatch(db, 1);
    await script.called(5);
    script.answer('deliverable', 'always');
    await next.until(COMPLETED, 2);
    expect(script.calls).toHaveLength(5);
  });

  it('books one refund for many deletions at once', async () => {
    const batch = await createBatch(db, 5_000);
    const pools = [connect(10), connect(10)];
    const twenty = Array.from({ length: 20 }, (_, index) => remove({ id: batch.id }, pools[index % 2]));
    const outcomes = await Promise.all(twenty);
    expect(outcomes.filter(({ kind }) => kind === 'deleted')).toEqual([{ kind: 'deleted', refunded: 5_000 }]);
    expect(await creditsOf(db, batch.accountId)).toBe(5_000);
  });

  it('deletes no address itself, however many there are', async () => {
    const batch = await createBatch(db, 50_000);
    expect(await remove({ id: batch.id })).toEqual({ kind: 'deleted', refunded: 50_000 });
    expect(await creditsOf(db, batch.accountId)).toBe(50_000);
    expect((await rowsOf(db, batch.id)).length).toBe(50_000);
  });
});

it('is told by GET /v1/batch', async () => {
  const { ask } = await startStoredService(db, { verifier: answers('deliverable') });
  const { accountId, headers } = await makeCustomer(db, 3, { mode: 'live' });
  const payload = { emails: ['a@x.example', 'b@x.example', 'A@x.example'] };
  const { id } = (await ask({ method: 'POST', url: '/v1/batch', headers, payload })).json();
  const get = async () => (await ask({ url: `/v1/batch?id=${id}`, headers })).json();
  await pauseBatch(db, { id, accountId });
  expect(await get()).toEqual({ message: PAUSED, processed: 0, total: 3 });
  const [row] = await rowsOf(db, id);
  expect(row).toMatchObject({ process_id: null });
  await resumeBatch(db, { id, accountId });
  expect(await get()).toEqual({ message: OPEN, processed: 0, total: 3 });
  await remove({ id, accountId });
  const gone =
    'There is no batch with this id. Check the id, and send a key of the account that created the batch.';
  expect(await get()).toEqual({ message: gone });
  expect(await creditsOf(db, accountId)).toBe(3);
});
