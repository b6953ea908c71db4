/** Batches for the tests that kill processes, and what holds for each of them in the end. */
import { sql } from 'kysely';
import { expect, onTestFailed, vi } from 'vitest';
import { seeded } from '../../../../bench/simulate/queue.ts';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { readProgress } from '../../../../src/service/batch/batch-store.ts';
import { changeCredits } from '../../../../src/service/credits/credit-store.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { rounds, SEED } from '../../../long.mjs';
import { ledgerOf, makeAccount } from '../../support/account.ts';
import { addressesAt, COMPLETED, storeBatch } from '../../support/batch.ts';
import { expectExactBooks } from '../../support/books.ts';
import { PUBLIC_URL } from '../../support/deps.ts';
import { PATIENTLY } from '../../support/patience.ts';

/** For a longer run by hand: `BATCH_CRASH_ROUNDS=20 BATCH_CRASH_SIZE=5000 npx vitest run test/service/batch/live/crash`. */
export const ROUNDS = Number(process.env.BATCH_CRASH_ROUNDS ?? rounds(1, 2));
export const SIZE = Number(process.env.BATCH_CRASH_SIZE ?? 400);
/** For a test of all rounds. */
export const ROUNDS_MS = 180_000 + ROUNDS * (10_000 + SIZE * 20);

const SPARE = 100;
const QUICK = { timeout: PATIENTLY.timeout + SIZE * 20, interval: 10 };

/** Those whose verification ends as unknown: one in five. */
export const isUnknown = (address: string) => /[05]@/.test(address);

export interface KilledBatch {
  readonly accountId: string;
  readonly id: string;
}

/** An account, and a batch that it has paid for. Its callback goes to the URL, if there is a process that sends any. */
export async function createBatch(
  db: Db,
  domains: readonly string[],
  url = 'https://receiver.example/',
): Promise<KilledBatch> {
  const accountId = await makeAccount(db, SIZE + SPARE);
  const addresses = addressesAt(SIZE, (place) => domains[place % domains.length]!);
  const id = await storeBatch(db, accountId, addresses, { retries: false, url });
  await changeCredits(db, accountId, { amount: -SIZE, why: 'batch', of: id });
  return { accountId, id };
}

const random = seeded(SEED);

/** Waits until a random part of it is done. */
export async function randomMoment(db: Db, { id }: KilledBatch): Promise<void> {
  const target = Math.floor(random() * SIZE * 0.9);
  const hint = `Killed after ${target} of ${SIZE} addresses. FUZZ_SEED=${SEED} repeats this.`;
  onTestFailed(() => console.error(hint));
  await vi.waitUntil(async () => (await countOf(db, id)) >= target, QUICK);
}

const countOf = async (db: Db, id: string) =>
  Object.values((await readProgress(db, id)).tally).reduce((sum, count) => sum + count, 0);

/** Waits for the end. Everything was counted once, and nothing was charged twice. */
export async function expectExact(db: Db, { accountId, id }: KilledBatch, reason: string): Promise<void> {
  const read = () => readStatus(db, { accountId, id }, PUBLIC_URL);
  await expect.poll(read, QUICK).toMatchObject({ message: COMPLETED });
  const unknown = SIZE / 5;
  expect(await read()).toMatchObject({
    reason_counts: { accepted_email: SIZE - unknown, [reason]: unknown },
    total_counts: { deliverable: SIZE - unknown, unknown, processed: SIZE, total: SIZE, duplicate: 0 },
  });
  const { rows } = await sql<Record<string, number>>`
    select count(*) as rows, count(distinct address::text) as addresses, count(result) as results,
      count(*) filter (where result->>'email' = address #>> '{}') as own, count(process_id) as claimed
    from batch_rows where batch_id = ${id}
  `.execute(db);
  expect(rows[0]).toEqual({ rows: SIZE, addresses: SIZE, results: SIZE, own: SIZE, claimed: 0 });
  const tally = { accepted_email: SIZE - unknown, [reason]: unknown };
  expect(await readProgress(db, id)).toEqual({ tally, duplicates: 0 });
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
  await expectExactBooks(db);
}
