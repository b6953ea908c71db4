/** Live batches for tests, and workers that verify them. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, vi } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { readStatus } from '../../../src/service/batch/batch-status.ts';
import { insertBatch, type NewBatch } from '../../../src/service/batch/batch-store.ts';
import { type BatchEntry, entriesOf } from '../../../src/service/batch/entries/collected-entries.ts';
import { type BatchWorkerOptions, startBatchWorker } from '../../../src/service/batch/live/batch-worker.ts';
import { changeCredits } from '../../../src/service/credits/credit-store.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import type { Deps } from '../../../src/service/deps/deps.ts';
import { removeProcess } from '../../../src/service/jobs/process-store.ts';
import { makeAccount } from './account.ts';
import { DEPS, PUBLIC_URL, settingsWith } from './deps.ts';
import { PATIENTLY } from './patience.ts';
import { addProcess } from './process.ts';
import { resultOf } from './result.ts';

export const COMPLETED = 'Batch verification completed.';
export const OPEN = 'Your batch is being processed.';
export const PAUSED = 'Your batch is paused.';

/** A verifier that returns at once. */
export const answers =
  (state: 'deliverable' | 'unknown'): Verifier =>
  async ({ address }) => ({ result: resultOf(address, state), evidence: [] });

export interface TestBatchOptions {
  readonly retries?: boolean;
  readonly acceptAll?: boolean | undefined;
  readonly mode?: 'test' | 'live';
  readonly domain?: (place: number) => string;
  /** @default a new account with as many credits as the batch needs */
  readonly accountId?: string;
}

/** So many addresses. By default, each is at a domain of its own. */
export const addressesAt = (count: number, domain = (place: number) => `d${place}.example`): string[] =>
  Array.from({ length: count }, (_, place) => `u${place}@${domain(place)}`);

/** Stores a batch with these entries, which costs no credits. @returns its id */
export async function storeBatch(
  db: Db,
  accountId: string,
  addresses: readonly (string | BatchEntry)[],
  more: Partial<Omit<NewBatch, 'accountId' | 'entries'>> = {},
): Promise<string> {
  const entries = addresses.map((one) => (typeof one === 'string' ? { address: one, duplicates: 0 } : one));
  const total = entries.reduce((sum, { duplicates }) => sum + 1 + duplicates, 0);
  const { id = randomBytes(12).toString('hex') } = more;
  await insertBatch(db, {
    ...{ mode: 'live', total, responseFields: null, retries: true, url: null, ...more },
    ...{ id, accountId, entries: entriesOf(entries) },
  });
  return id;
}

type Status = { message: string; processed: number; total_counts: { processed: number } };

/** The message of a batch, and how many entries have a result. */
export async function statusOf(db: Db, batch: { accountId: string; id: string }) {
  const body = (await readStatus(db, batch, PUBLIC_URL)) as Partial<Status>;
  return [body.message, body.processed ?? body.total_counts?.processed];
}

/** Makes a batch of so many distinct addresses and one duplicate. */
export async function createBatch(db: Db, count: number, options: TestBatchOptions = {}) {
  const { retries = true, acceptAll, mode = 'live', domain = (place) => `d${place}.example` } = options;
  const accountId = options.accountId ?? (await makeAccount(db, mode === 'live' ? count : 0));
  const [first = '', ...others] = addressesAt(count, domain);
  const addresses = [{ address: first, duplicates: 1 }, ...others];
  const id = await storeBatch(db, accountId, addresses, { mode, retries, acceptAll });
  if (mode === 'live') await changeCredits(db, accountId, { amount: -count, why: 'batch', of: id });
  const status = () => statusOf(db, { accountId, id });
  return {
    id,
    accountId,
    status,
    until: (message: string, processed: number) =>
      vi.waitFor(async () => expect(await status()).toEqual([message, processed]), PATIENTLY),
  };
}

/** A worker like that of a process. It ends with the test. */
export async function startWorker(
  db: Db,
  verifier: Verifier,
  options: Partial<Deps> & Omit<Partial<BatchWorkerOptions>, 'verifier'> = {},
) {
  const processId = randomUUID();
  await addProcess(db, processId);
  const worker = startBatchWorker(
    { ...DEPS, db, processId, settings: settingsWith({ live: { greylistRetries: [60] } }), ...options },
    { verifier, lookEveryMs: 30, closedMs: 30, ...options },
  );
  const stop = async (graceMs = 0) => {
    await worker.stop(graceMs);
    await removeProcess(db, processId);
  };
  onTestFinished(() => stop());
  return { ...worker, stop, processId };
}

export const rowsOf = (db: Db, id: string) =>
  db
    .selectFrom('batch_rows')
    .select(['place', 'process_id', 'attempt', 'tries', 'due_at', 'reason'])
    .where('batch_id', '=', id)
    .orderBy('place')
    .execute();

/** The row of a batch. */
export const batchOf = (db: Db, id: string) =>
  db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** As if it were made so many days earlier. */
export const makeOlder = (db: Db, id: string, days: number) =>
  sql`update batches set created_at = created_at - make_interval(days => ${days}) where id = ${id}`.execute(
    db,
  );

/** How many addresses a process has claimed. */
export const claimedOf = async (db: Db, id: string) =>
  (await rowsOf(db, id)).filter(({ process_id }) => process_id).length;
