import { expect, it } from 'vitest';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { changeCredits } from '../../../../src/service/credits/credit-store.ts';
import { inLong } from '../../../in-long.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { addressesAt, storeBatch } from '../../support/batch.ts';
import { expectExactBooks } from '../../support/books.ts';
import { type Child, prepareChildren } from '../../support/children.ts';
import { testDatabase } from '../../support/database.ts';
import { PUBLIC_URL } from '../../support/deps.ts';
import { silenceAll } from '../../support/process.ts';
import { createBatch, expectExact, ROUNDS, ROUNDS_MS, randomMoment } from './crash-rules.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/batch/live/child.ts');

const DOMAINS = Array.from({ length: 20 }, (_, number) => `d${number}.example`);
const start = (most = Number.POSITIVE_INFINITY) =>
  children.start({ DATABASE_URL: databaseUrl, MOST: `${most}` });

/** Two workers, of which so many are killed at a random moment. */
async function killAtRandom(count: number): Promise<void> {
  const batch = await createBatch(db, DOMAINS);
  const workers: Child[] = [start(), start()];
  await randomMoment(db, batch);
  await Promise.all(workers.splice(0, count).map((worker) => worker.kill()));
  await silenceAll(db);
  if (workers.length === 0) workers.push(start());
  await expectExact(db, batch, 'no_connect');
  await Promise.all(workers.map((worker) => worker.kill()));
}

inLong.each([
  ['one worker of two', 1],
  ['all workers', 2],
])('completes exactly after kill -9 of %s at a random moment', { timeout: ROUNDS_MS }, async (_, count) => {
  for (let round = 0; round < ROUNDS; round += 1) await killAtRandom(count);
});

it('completes the batch, counts each address once and refunds once, although its processes are killed on the way', async () => {
  const accountId = await makeAccount(db, 600);
  const addresses = addressesAt(500, (place) => `d${place % 20}.example`);
  const id = await storeBatch(db, accountId, addresses);
  await changeCredits(db, accountId, { amount: -500, why: 'batch', of: id });
  for (const most of [1, 30, 150, 120]) {
    const child = start(most);
    for (let lines = 0; lines < most; lines += 1) await child.next<string>();
    await child.kill();
    await silenceAll(db);
  }
  // The last one begins beside a process that dies.
  const other = start(40);
  await other.next<string>();
  start();
  await other.kill();
  await silenceAll(db);
  const read = () => readStatus(db, { accountId, id }, PUBLIC_URL);
  await expect.poll(read).toMatchObject({
    reason_counts: { accepted_email: 400, no_connect: 100 },
    total_counts: { deliverable: 400, unknown: 100, processed: 500, duplicate: 0 },
  });
  const { emails } = (await read()) as unknown as { emails: { email: string }[] };
  expect(emails.map(({ email }) => email)).toEqual(addresses);
  expect(await creditsOf(db, accountId)).toBe(200);
  await expectExactBooks(db);
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
});
