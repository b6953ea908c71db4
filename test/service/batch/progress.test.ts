/** The counts that a trigger keeps, so that reading a status need not count addresses. */
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import {
  forgetProgress,
  type PlacedResult,
  readProgress,
  storeResults,
} from '../../../src/service/batch/batch-store.ts';
import { deleteBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { MIGRATIONS, migrate } from '../../../src/service/database/migrate.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import { makeAccount, makeBareAccount } from '../support/account.ts';
import { addressesAt, storeBatch } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { resultOf } from '../support/result.ts';

const { db, connect } = await testDatabase();

async function insert(count: number, into: Db = db, make = makeAccount): Promise<string> {
  const addresses = addressesAt(count, () => 'x.example');
  const entries = addresses.map((address, place) => ({ address, duplicates: place % 3 }));
  return storeBatch(into, await make(into), entries, { total: 2 * count });
}

const results = (from: number, to: number): PlacedResult[] =>
  Array.from({ length: to - from }, (_, index) => ({
    place: from + index,
    result: resultOf(`u${from + index}@x.example`, (from + index) % 2 ? 'unknown' : 'deliverable'),
  }));

it('counts each result once, however many connections write at once and repeat themselves', async () => {
  const id = await insert(600);
  const connections = [1, 2, 3].map(() => connect(2));
  const store = (part: number) => {
    const from = (part % 20) * 30;
    return storeResults(connections[part % 3]!, id, results(from, from + 30));
  };
  await Promise.all(Array.from({ length: 30 }, (_, part) => store(part)));
  const tally = { accepted_email: 300, no_connect: 300 };
  expect(await readProgress(db, id)).toEqual({ tally, duplicates: 600 });
});

it('counts nothing of a transaction that fails, and no claim', async () => {
  const id = await insert(9);
  const failing = db.transaction().execute(async (transaction) => {
    await storeResults(transaction, id, results(0, 9));
    await sql`select 1 / 0`.execute(transaction);
  });
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  await sql`update batch_rows set process_id = gen_random_uuid() where batch_id = ${id}`.execute(db);
  expect(await readProgress(db, id)).toEqual({ tally: {}, duplicates: 0 });
});

it('is forgotten a minute after completion, and of a batch that is deleted', async () => {
  const [open, fresh, old, deleted] = [await insert(2), await insert(2), await insert(2), await insert(2)];
  for (const id of [open, fresh, old, deleted]) await storeResults(db, id, results(0, 2));
  const complete = (id: string, secondsAgo: number) =>
    sql`
      update batches set completed_at = clock_timestamp() - make_interval(secs => ${secondsAgo}),
        expires_at = clock_timestamp(), reason_counts = '{}'
      where id = ${id}
    `.execute(db);
  await complete(fresh, 50);
  await complete(old, 61);
  await deleteBatch(db, { id: deleted }, { refundUnknown: true });
  await sql`
    update batches set completed_at = completed_at - interval '61 seconds' where id = ${deleted}
  `.execute(db);
  await forgetProgress(db);
  const left = await db.selectFrom('batch_progress').select('batch_id').distinct().execute();
  const own = left.map(({ batch_id }) => batch_id).filter((id) => [open, fresh, old, deleted].includes(id));
  expect(own.sort()).toEqual([open, fresh].sort());
});

it('is there for batches from before the counts', async () => {
  const before = await testDatabase(onTestFinished, { empty: true });
  const older = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0009'));
  await migrate(before.db, older);
  const id = await insert(10, before.db, makeBareAccount);
  // As the version of that schema stored them.
  await sql`
    update batch_rows set
      reason = case when place % 2 = 0 then 'accepted_email' else 'no_connect' end, result = '{}'
    where batch_id = ${id} and place < 5
  `.execute(before.db);
  await migrate(before.db);
  const tally = { accepted_email: 3, no_connect: 2 };
  expect(await readProgress(before.db, id)).toEqual({ tally, duplicates: 4 });
  await storeResults(before.db, id, results(0, 10));
  expect((await readProgress(before.db, id)).tally).toEqual({ accepted_email: 5, no_connect: 5 });
});
