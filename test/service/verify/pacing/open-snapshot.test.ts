/** While a snapshot is open, such as that of a backup, PostgreSQL keeps every version of a row. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import {
  createForgetPaces,
  type Ending,
  paceAll,
} from '../../../../src/service/verify/pacing/pacing-store.ts';
import { rounds } from '../../../long.mjs';
import { testDatabase } from '../../support/database.ts';
import { explainAll } from '../../support/explained-database.ts';
import { addProcess } from '../../support/process.ts';

const { db, url: databaseUrl } = await testDatabase();

const CONVERSATIONS = rounds(500, 5_000);
/** How many more buffers the last one may read than the first: those of the second in which it begins. */
const MOST_MORE = 20;
/** Its versions of a second, a hundred of which are on a page. All of them would be many times as many. */
const MOST_MORE_WAITING = rounds(3, 20);
const LIMITS = { connections: 50, perMinute: 1_000_000 };

/** Runs something while a snapshot is open. */
async function withSnapshot(run: () => Promise<void>): Promise<void> {
  const reading = db.transaction().setIsolationLevel('repeatable read');
  await reading.execute(async (snapshot) => {
    await sql`select from accounts limit 1`.execute(snapshot);
    await run();
  });
}

function explained(isRunAgain = false) {
  const opened = explainAll(databaseUrl, isRunAgain);
  onTestFinished(() => opened.close());
  return opened;
}

/** What autovacuum does when it takes this long: it finds tables of versions, hardly a row. */
const analyze = () => sql`analyze`.execute(db);

it(`reads few more buffers for the last of ${CONVERSATIONS} conversations than for the first`, async () => {
  const processId = randomUUID();
  await addProcess(db, processId);
  const measured = explained();
  let row: string | null = null;
  let endings: Ending[] = [];
  /** The one before ends, and another one begins. */
  const next = () => {
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
    await paceAll(measured.db, processId, [next()]);
    // What it has moved is found by its key once.
    await converse();
    return measured.take()[0]!;
  };
  await withSnapshot(async () => {
    await converse();
    // The first one also plans.
    await buffersOfOne();
    const before = await buffersOfOne();
    for (let count = 0; count < CONVERSATIONS; count += 1) await converse();
    await analyze();
    await buffersOfOne();
    expect((await buffersOfOne()) - before).toBeLessThanOrEqual(MOST_MORE);
  });
});

it(`reads few more buffers for a process that has waited ${CONVERSATIONS} times for another, and in the housekeeping`, async () => {
  // Versions of others that nobody needs any more are removed meanwhile.
  await sql`truncate paces, conversations, conversation_waits`.execute(db);
  const [mine, other] = [randomUUID(), randomUUID()];
  for (const processId of [mine, other]) await addProcess(db, processId);
  const measured = explained();
  // In the year 2100, so that nothing is old for the housekeeping.
  let at = 4_102_444_800_000;
  const held: Record<string, Ending[]> = { [mine]: [], [other]: [] };
  const since: Record<string, number> = {};
  /** A process ends what it has, and asks for one conversation. There is only one for both. */
  const ask = async (processId: string, pool = db) => {
    at += 400;
    since[processId] ??= at;
    const id = randomUUID();
    const round = {
      ...{ organisation: 'Waits', limits: { ...LIMITS, connections: 1 }, inBackground: false },
      ...{ ids: [id], waitedMs: [at - since[processId]], endings: held[processId]! },
    };
    const [result] = await paceAll(pool, processId, [round], new Date(at));
    const hasBegun = result?.begun === 1;
    held[processId] = hasBegun ? [{ id, how: 'well' }] : [];
    if (hasBegun) delete since[processId];
    return result?.begun;
  };
  /** Both wait for each other, in turn. */
  const takeTurns = async () => {
    const begun: unknown[] = [];
    for (const id of [other, mine, other, mine, other, mine]) begun.push(await ask(id));
    expect(begun).toEqual([0, 1, 0, 0, 1, 0]);
  };
  const housekeeping = explained(true);
  const forget = createForgetPaces(housekeeping.db);
  const buffersOfOne = async () => {
    // It waits in vain.
    await ask(mine, measured.db);
    const [wait] = measured.take();
    await forget();
    const forgotten = Math.max(...housekeeping.take());
    return { wait: wait!, forgotten };
  };
  await withSnapshot(async () => {
    expect(await ask(other)).toBe(1);
    expect(await ask(mine)).toBe(0);
    await takeTurns();
    // The first one also plans.
    await buffersOfOne();
    const before = await buffersOfOne();
    for (let count = 0; count < CONVERSATIONS; count += 6) await takeTurns();
    await analyze();
    await buffersOfOne();
    const after = await buffersOfOne();
    expect(after.wait - before.wait).toBeLessThanOrEqual(MOST_MORE_WAITING);
    expect(after.forgotten - before.forgotten).toBeLessThanOrEqual(MOST_MORE_WAITING);
  });
});
