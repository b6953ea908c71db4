import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readTroubledCallbacks } from '../../../../src/service/batch/alerts/alert-store.ts';
import { completeBatch, forgetResults } from '../../../../src/service/batch/batch-store.ts';
import {
  claimCallbacks,
  countCallbacks,
  endTry,
} from '../../../../src/service/batch/callbacks/callback-store.ts';
import { DEFAULT_DURATIONS } from '../../../../src/service/config/sections/durations-section.ts';
import { makeAccount } from '../../support/account.ts';
import { storeBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { addProcess } from '../../support/process.ts';

const { db } = await testDatabase();
const ID = '0123456789abcdef01234567';

it('tells of a callback that was given up as long as its batch has results', async () => {
  const accountId = await makeAccount(db);
  const processId = randomUUID();
  await addProcess(db, processId);
  await storeBatch(db, accountId, ['a@example.com'], { id: ID, url: 'https://shop.example/done' });
  await sql`update batch_rows set reason = 'timeout', result = '{}'`.execute(db);
  await completeBatch(db, ID, DEFAULT_DURATIONS);
  const [claimed] = await claimCallbacks(db, processId, { most: 1, mostOfAccount: 1, mostOfReceiver: 1 });
  const failed = { status: 500, error: 'The receiver answered with 500.', isCutOff: false, durationMs: 1 };
  const schedule = { callbackRetry: 10, callbackGiveUp: 1 };
  expect(await endTry(db, processId, claimed!, failed, schedule)).toBe('given up');
  expect(await readTroubledCallbacks(db, accountId, 5)).toMatchObject([
    { batch_id: ID, error: failed.error },
  ]);
  expect(await countCallbacks(db)).toMatchObject([{ state: 'given up', count: 1 }]);

  await sql`update batches set expires_at = clock_timestamp()`.execute(db);
  while (await forgetResults(db));
  expect(await readTroubledCallbacks(db, accountId, 5)).toEqual([]);
  expect(await countCallbacks(db)).toEqual([]);
});
