import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readTroubledCallbacks } from '../../../../src/service/batch/alerts/alert-store.ts';
import { forgetResults } from '../../../../src/service/batch/batch-store.ts';
import * as store from '../../../../src/service/batch/callbacks/callback-store.ts';
import { completeWithCallback } from '../../support/callbacks.ts';
import { testDatabase } from '../../support/database.ts';
import { addProcess } from '../../support/process.ts';

const { db } = await testDatabase();

it('tells of a callback that was given up as long as its batch has results', async () => {
  const { id, accountId } = await completeWithCallback(db, 'https://shop.example/done');
  const processId = randomUUID();
  await addProcess(db, processId);
  const [claimed] = await store.claimCallbacks(db, processId, {
    most: 1,
    mostOfAccount: 1,
    mostOfReceiver: 1,
  });
  const failed = { status: 500, error: 'The receiver answered with 500.', isCutOff: false, durationMs: 1 };
  const schedule = { callbackRetry: 10, callbackGiveUp: 1 };
  expect(await store.endTry(db, processId, claimed!, failed, schedule)).toBe('given up');
  const troubled = await readTroubledCallbacks(db, accountId, 5);
  expect(troubled).toMatchObject([{ batch_id: id, error: failed.error }]);
  expect(await store.countCallbacks(db)).toMatchObject([{ state: 'given up', count: 1 }]);

  await sql`update batches set expires_at = clock_timestamp()`.execute(db);
  while (await forgetResults(db));
  expect(await readTroubledCallbacks(db, accountId, 5)).toEqual([]);
  expect(await store.countCallbacks(db)).toEqual([]);
});
