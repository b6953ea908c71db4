import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, it, vi } from 'vitest';
import { readStatus } from '../../../../src/service/batch/status.ts';
import { insertBatch } from '../../../../src/service/batch/store.ts';
import { changeCredits } from '../../../../src/service/credits/store.ts';
import { creditsOf, ledgerOf, makeAccount } from '../../support/account.ts';
import { prepareChildren } from '../../support/children.ts';
import { createTestDatabase } from '../../support/database.ts';
import { PUBLIC_URL } from '../../support/stored-service.ts';

const database = await createTestDatabase();
const { db } = database;
const children = await prepareChildren(resolve('test/service/batch/live/child.ts'));
afterAll(async () => {
  await children.remove();
  await database.drop();
});

/** Instead of waiting for 10 seconds. */
async function silenceAll(): Promise<void> {
  await sql`update processes set alive_at = alive_at - interval '11 seconds'`.execute(db);
}

it('completes the batch, counts each address once and refunds once, although its processes are killed on the way', async () => {
  const accountId = await makeAccount(db, 600);
  const id = randomBytes(12).toString('hex');
  const entries = Array.from({ length: 500 }, (_, place) => ({
    address: `u${place}@d${place % 20}.example`,
    duplicates: 0,
  }));
  await insertBatch(db, {
    ...{ id, accountId, mode: 'live', total: 500, entries, responseFields: null, retries: true, url: null },
  });
  await changeCredits(db, accountId, { amount: -500, why: 'batch', of: id });
  const start = (most: number) => children.start({ DATABASE_URL: database.url, MOST: `${most}` });
  for (const most of [1, 30, 150, 120]) {
    const child = start(most);
    for (let lines = 0; lines < most; lines += 1) await child.next<string>();
    await child.kill();
    await silenceAll();
  }
  // The last one begins beside a process that dies, and is taken for dead itself for a moment.
  const other = start(40);
  await other.next<string>();
  start(Number.POSITIVE_INFINITY);
  await other.kill();
  await silenceAll();
  await vi.waitFor(
    async () => {
      const body = await readStatus(db, accountId, id, false, PUBLIC_URL);
      expect(body).toMatchObject({
        reason_counts: { accepted_email: 400, no_connect: 100 },
        total_counts: { deliverable: 400, unknown: 100, processed: 500, duplicate: 0 },
      });
    },
    { timeout: 20_000, interval: 50 },
  );
  const body = (await readStatus(db, accountId, id, false, PUBLIC_URL)) as unknown as {
    emails: { email: string }[];
  };
  expect(body.emails.map(({ email }) => email)).toEqual(entries.map(({ address }) => address));
  expect(await creditsOf(db, accountId)).toBe(200);
  expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
}, 60_000);
