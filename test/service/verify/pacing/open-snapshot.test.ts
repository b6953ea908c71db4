/** While a snapshot is open, such as that of a backup, PostgreSQL keeps every version of a row. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { type Ending, paceAll, type Round } from '../../../../src/service/verify/pacing/pacing-store.ts';
import { rounds } from '../../../long.mjs';
import { testDatabase } from '../../support/database.ts';
import { explainAll } from '../../support/explained-database.ts';
import { addProcess } from '../../support/process.ts';

const database = await testDatabase();
const { db } = database;

const CONVERSATIONS = rounds(500, 5_000);
/** How many more buffers the last one may read than the first: those of the second in which it begins. */
const MOST_MORE = 20;
const LIMITS = { connections: 50, perMinute: 1_000_000 };

it(`reads few more buffers for the last of ${CONVERSATIONS} conversations than for the first`, async () => {
  const processId = randomUUID();
  await addProcess(db, processId);
  const explained = explainAll(database.url);
  onTestFinished(() => explained.close());
  let row: string | null = null;
  let endings: Ending[] = [];
  /** The one before ends, and another one begins. */
  const next = (): Round => {
    const id = randomUUID();
    const round = { organisation: 'Example', row, limits: LIMITS, inBackground: false, ids: [id] };
    const whole = { ...round, waitedMs: [0], endings };
    endings = [{ id, how: 'well' }];
    return whole;
  };
  const converse = async () => {
    const [result] = await paceAll(db, processId, [next()]);
    expect(result).toMatchObject({ begun: 1, pace_row: expect.any(String) });
    row = result!.pace_row;
  };
  const buffersOfOne = async () => {
    await paceAll(explained.db, processId, [next()]);
    // What it has moved is found by its key once.
    await converse();
    return explained.take()[0]!;
  };
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => {
      await sql`select from accounts limit 1`.execute(snapshot);
      await converse();
      // The first one also plans.
      await buffersOfOne();
      const before = await buffersOfOne();
      for (let count = 0; count < CONVERSATIONS; count += 1) await converse();
      // What autovacuum does when it takes this long: it finds tables of versions, hardly a row.
      await sql`analyze`.execute(db);
      await buffersOfOne();
      expect((await buffersOfOne()) - before).toBeLessThanOrEqual(MOST_MORE);
    });
}, 180_000);
