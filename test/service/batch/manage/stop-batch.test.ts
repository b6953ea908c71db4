import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { completeBatch, storeResults } from '../../../../src/service/batch/batch-store.ts';
import { openArchive } from '../../../../src/service/batch/download/archive.ts';
import { findDownload } from '../../../../src/service/batch/download/download-store.ts';
import { claimRows, claimSuspects, finishRows } from '../../../../src/service/batch/live/claim-store.ts';
import { faultResult } from '../../../../src/service/batch/live/own-fault.ts';
import {
  deleteBatch,
  pauseBatch,
  resumeBatch,
  stopBatch,
  stopOnePaused,
} from '../../../../src/service/batch/manage/manage-batches.ts';
import { endClaims, lockBatch } from '../../../../src/service/batch/manage/manage-batches-store.ts';
import { toBatchResult } from '../../../../src/service/batch/result-fields.ts';
import { workOff } from '../../../../src/service/batch/samples.ts';
import { eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { auditBooks } from '../../../../src/service/books/audit-books.ts';
import { inLong } from '../../../in-long.ts';
import { creditsOf, ledgerOf } from '../../support/account.ts';
import {
  addressesAt,
  answers,
  batchOf,
  COMPLETED,
  createBatch,
  rowsOf,
  startWorker,
} from '../../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { DEPS, PUBLIC_URL, settingsWith } from '../../support/deps.ts';
import { scriptVerifier } from '../../support/live.ts';
import { resultOf } from '../../support/result.ts';

const { db, connect } = await testDatabase();
emptyBeforeEach(db, 'batches');

const UUID = '00000000-0000-4000-8000-000000000001';
const SETTINGS = settingsWith();
const stop = (id: string, settings = SETTINGS) => stopBatch(db, { id }, settings);

/** Gives the first addresses these results. */
async function verify(id: string, states: readonly ('deliverable' | 'unknown')[]) {
  const claimed = await claimRows(db, UUID, [{ id, most: states.length }]);
  const finishes = claimed.map((row, index) => ({ row, result: resultOf(row.address, states[index]!) }));
  await finishRows(db, UUID, finishes);
}

const statusOf = ({ id, accountId }: { id: string; accountId: string }) =>
  readStatus(db, { accountId, id }, PUBLIC_URL) as Promise<Record<string, unknown>>;

describe('a stopped batch', () => {
  it('is completed with the results that it has, and gives back the rest', async () => {
    const batch = await createBatch(db, 10);
    await verify(batch.id, ['deliverable', 'deliverable', 'unknown']);
    await db.updateTable('batches').set({ url: 'https://x.example/' }).where('id', '=', batch.id).execute();
    expect(await stop(batch.id)).toEqual({ kind: 'stopped', refunded: 8, hasCallback: true });
    const status = await statusOf(batch);
    expect(status).toMatchObject({
      message: COMPLETED,
      total_counts: { deliverable: 2, unknown: 1, duplicate: 1, processed: 4, total: 11 },
    });
    expect((status.emails as { email: string }[]).map(({ email }) => email)).toEqual(addressesAt(3));
    expect(await creditsOf(db, batch.accountId)).toBe(8);
    const callbacks = db.selectFrom('callbacks').select('due_at').where('batch_id', '=', batch.id);
    expect(await callbacks.execute()).toEqual([{ due_at: expect.any(Date) }]);
    const [logged] = await readAudit(db, batch.accountId, { limit: 1 });
    expect(logged).toMatchObject({ action: 'batch.stop', actor: 'operator', details: { refunded: 8 } });
  });

  it('keeps the credits of unknown results if the operator says so', async () => {
    const { id } = await createBatch(db, 3);
    await verify(id, ['unknown']);
    expect(await stop(id, settingsWith({ refundUnknown: false }))).toMatchObject({ refunded: 2 });
  });

  it.each([
    ['stopped', stopBatch],
    ['deleted', deleteBatch],
  ] as const)(
    'refunds what processes died over when it is %s, though unknown results cost',
    async (kind, end) => {
      const { id, accountId } = await createBatch(db, 5);
      await verify(id, ['deliverable', 'unknown']);
      await sql`
        update batch_rows set deaths = 3, due_at = clock_timestamp() where batch_id = ${id} and place = 4
      `.execute(db);
      const [row] = await claimSuspects(db, UUID, 'poison', 1);
      await finishRows(db, UUID, [{ row: row!, result: toBatchResult(faultResult(row!.address)) }]);
      const outcome = await end(db, { id }, settingsWith({ refundUnknown: false }));
      expect(outcome).toMatchObject({ kind, refunded: 3 });
      expect((await auditBooks(db)).filter(({ account }) => account === accountId)).toEqual([]);
    },
  );

  it('gets no result of an address that processes died over, once it is being stopped', async () => {
    const batch = await createBatch(db, 3);
    await sql`
      update batch_rows set deaths = 1, due_at = clock_timestamp() where batch_id = ${batch.id} and place = 2
    `.execute(db);
    await db.transaction().execute(async (ending) => {
      await lockBatch(ending, undefined, batch.id);
      await endClaims(ending, [batch.id]);
      // Its end would miss a result of this claim, and give back its credit.
      expect(await claimSuspects(db, UUID, 'suspect', 1)).toEqual([]);
    });
    expect(await claimSuspects(db, UUID, 'suspect', 1)).toHaveLength(1);
  });

  it('has an empty list of results if it had none yet', async () => {
    const batch = await createBatch(db, 2);
    await stop(batch.id);
    expect(await statusOf(batch)).toMatchObject({ emails: [], total_counts: { processed: 0, total: 3 } });
  });

  it('takes no result of an address that was being verified', async () => {
    const batch = await createBatch(db, 3, { domain: () => 'x.example' });
    const script = scriptVerifier();
    const worker = await startWorker(db, script.verifier);
    await script.called(3);
    await stop(batch.id);
    script.answer('deliverable', 'always');
    await vi.waitUntil(() => worker.atWork() === 0);
    expect(await statusOf(batch)).toMatchObject({ emails: [], total_counts: { processed: 0 } });
    const ends = (await rowsOf(db, batch.id)).map(({ reason, process_id }) => [reason, process_id]);
    expect(ends).toEqual(Array(3).fill([null, null]));
    expect(await creditsOf(db, batch.accountId)).toBe(3);
  });

  it('gives nobody further addresses', async () => {
    const { id } = await createBatch(db, 3);
    await stop(id);
    expect(await claimRows(db, UUID, [{ id, most: 3 }])).toEqual([]);
    expect(await pauseBatch(db, { id })).toBe('completed already');
    expect(await resumeBatch(db, { id })).toBe('completed already');
    expect(await stop(id)).toEqual({ kind: 'completed already' });
  });

  it('counts as completed if every address has its result already', async () => {
    const batch = await createBatch(db, 1);
    await pauseBatch(db, { id: batch.id });
    await storeResults(db, batch.id, [{ place: 0, result: toBatchResult(resultOf('u0@d0.example')) }]);
    expect(await stop(batch.id)).toMatchObject({ kind: 'stopped', refunded: 0 });
    expect((await batchOf(db, batch.id)).stopped_after).toBeNull();
    expect(await statusOf(batch)).toMatchObject({ total_counts: { processed: 2, total: 2 } });
  });

  it('of a test key has its samples so far, and costs nothing', async () => {
    const batch = await createBatch(db, 3_000, { mode: 'test' });
    const stopped = new AbortController();
    await workOff({ ...DEPS, db }, stopped.signal, () => stopped.abort());
    await stop(batch.id);
    const { total_counts: counts } = (await statusOf(batch)) as { total_counts: Record<string, number> };
    expect([counts.processed, counts.total]).toEqual([501, 3_001]);
    expect(await ledgerOf(db, batch.accountId)).toEqual({});
    await workOff({ ...DEPS, db });
    expect(await statusOf(batch)).toMatchObject({ total_counts: counts });
  });

  it('has a download with the results that it has, however far apart they are', async () => {
    const batch = await createBatch(db, 5_000, { mode: 'test' });
    const results = [1, 4_700].map((place) => ({
      ...{ place, result: toBatchResult(resultOf(`u${place}@d${place}.example`)) },
    }));
    await storeResults(db, batch.id, results);
    await stop(batch.id);
    const body = await statusOf(batch);
    const name = /download\/(.+)\.zip$/.exec(body.download_file as string)![1]!;
    const download = (await findDownload(db, name))!;
    let bytes = 0;
    for await (const part of openArchive(db, download)) bytes += (part as Buffer).length;
    expect(bytes).toBeGreaterThan(200);
  });

  it('is erased of an address that it has not verified', async () => {
    const batch = await createBatch(db, 2);
    await stop(batch.id);
    const actor = { kind: 'owner', name: 'ada@example.com' } as const;
    expect(await eraseAddress(db, batch.accountId, 'u1@d1.example', actor)).toMatchObject({ results: 1 });
    const { rows } = await sql<{ address: string; result: unknown }>`
      select address #>> '{}' as address, result from batch_rows where batch_id = ${batch.id} order by place
    `.execute(db);
    expect(rows[0]).toEqual({ address: 'u0@d0.example', result: null });
    expect(rows[1]!.address).not.toContain('u1');
  });

  it('is stopped once by twenty at once, and each result counts', async () => {
    const batch = await createBatch(db, 300);
    const worker = await startWorker(db, answers('deliverable'));
    const pools = [connect(6), connect(6)];
    await vi.waitUntil(async () => (await rowsOf(db, batch.id)).some(({ reason }) => reason !== null));
    const stops = Array.from({ length: 20 }, (_, index) => stopBatch(pools[index % 2]!, batch, SETTINGS));
    const outcomes = await Promise.all(stops);
    await worker.stop();
    const verified = (await rowsOf(db, batch.id)).filter(({ reason }) => reason !== null).length;
    const stopped = outcomes.filter(({ kind }) => kind === 'stopped');
    expect(stopped.length).toBeLessThanOrEqual(1);
    expect(await creditsOf(db, batch.accountId)).toBe(300 - verified);
    expect(await statusOf(batch)).toMatchObject({ total_counts: { deliverable: verified } });
  });
});

describe('a batch that stays paused', () => {
  async function pauseFor(id: string, seconds: number) {
    await pauseBatch(db, { id });
    await sql`
      update batches set paused_at = clock_timestamp() - make_interval(secs => ${seconds}) where id = ${id}
    `.execute(db);
  }
  const settings = settingsWith({ durations: { pausedBatch: 3_600 } });

  it('is stopped by the service when its time is over, and the log says so', async () => {
    const [long, short] = [await createBatch(db, 3), await createBatch(db, 3)];
    const open = await createBatch(db, 3);
    await pauseFor(long.id, 3_601);
    await pauseFor(short.id, 3_500);
    expect(await stopOnePaused(db, settings)).toMatchObject({ kind: 'stopped', refunded: 3 });
    expect(await stopOnePaused(db, settings)).toBeUndefined();
    expect(await statusOf(long)).toMatchObject({ message: COMPLETED });
    expect([(await short.status())[0], (await open.status())[0]]).not.toContain(COMPLETED);
    const [logged] = await readAudit(db, long.accountId, { limit: 1 });
    expect(logged).toMatchObject({ action: 'batch.stop', actor: 'service', subject_id: long.id });
  });

  it('stays if its owner resumes it at that moment', async () => {
    const { id } = await createBatch(db, 1);
    await pauseFor(id, 3_601);
    await db.transaction().execute(async (transaction) => {
      await transaction.updateTable('batches').set({ paused_at: null }).where('id', '=', id).execute();
      expect(await stopOnePaused(connect(1), settings)).toBeUndefined();
    });
    expect(await stopOnePaused(db, settings)).toBeUndefined();
  });

  it.each(['accounts', 'batches'] as const)(
    'holds up no others while its row of %s is locked',
    async (table) => {
      const [first, second] = [await createBatch(db, 3), await createBatch(db, 3)];
      await pauseFor(first.id, 3_602);
      await pauseFor(second.id, 3_601);
      await db.transaction().execute(async (transaction) => {
        const id = table === 'accounts' ? first.accountId : first.id;
        await transaction.selectFrom(table).select('id').where('id', '=', id).forUpdate().execute();
        const only = connect(1);
        await sql`set statement_timeout = 60000`.execute(only);
        expect(await stopOnePaused(only, settings)).toMatchObject({ kind: 'stopped' });
        expect(await statusOf(second)).toMatchObject({ message: COMPLETED });
        expect(await stopOnePaused(only, settings)).toBeUndefined();
      });
      expect(await stopOnePaused(db, settings)).toMatchObject({ kind: 'stopped' });
      expect(await statusOf(first)).toMatchObject({ message: COMPLETED });
    },
  );
});

inLong('counts every result of a batch of a test key that is stopped while they are stored', async () => {
  for (let round = 0; round < 8; round += 1) {
    const batch = await createBatch(db, 2_000, { mode: 'test' });
    const working = workOff({ ...DEPS, db: connect(2) });
    await vi.waitUntil(async () => (await batch.status())[1] !== 0);
    const stopped = await stop(batch.id);
    await working;
    if (stopped.kind === 'completed already') continue;
    const { rows } = await sql<{ found: number; counted: number }>`
      select count(reason) as found, (
        select coalesce(sum(value::bigint), 0)::bigint from batches, jsonb_each_text(reason_counts) where id = ${batch.id}
      ) as counted
      from batch_rows where batch_id = ${batch.id}
    `.execute(db);
    expect(rows[0]!.counted).toBe(rows[0]!.found);
    expect(await completeBatch(db, batch.id, SETTINGS.durations)).toBe(false);
  }
});

it('gives nothing back when a stopped batch is deleted', async () => {
  const batch = await createBatch(db, 4);
  await stop(batch.id);
  const deleted = await deleteBatch(db, { id: batch.id }, { refundUnknown: true });
  expect(deleted).toEqual({ kind: 'deleted', refunded: 0 });
  expect(await creditsOf(db, batch.accountId)).toBe(4);
  expect(await statusOf(batch)).toBeUndefined();
});
