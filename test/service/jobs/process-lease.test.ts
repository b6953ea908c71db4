import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { openSession, type Session } from '../../../src/service/database/session.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { createProcessLease } from '../../../src/service/jobs/process-lease.ts';
import {
  forgetProcesses,
  listProcesses,
  takeLock,
  touchProcess,
} from '../../../src/service/jobs/process-store.ts';
import { inLong } from '../../in-long.ts';
import { testDatabase } from '../support/database.ts';
import { explainAll } from '../support/explained-database.ts';
import { holdTimers } from '../support/held-timers.ts';
import { PATIENTLY } from '../support/patience.ts';
import { holdLease } from '../support/process.ts';

const { db, url } = await testDatabase();

async function isAlive(processId: string): Promise<boolean> {
  const { rows } = await sql<{ alive: boolean }>`select is_process_alive(${processId}) as alive`.execute(db);
  return rows[0]!.alive;
}

/** Moves the last beat of all processes, as if the clock of the database was set by so many seconds the other way. */
const moveBeats = (seconds: number) =>
  sql`update processes set alive_at = alive_at + make_interval(secs => ${seconds})`.execute(db);

/** Moves the note that a process is silent into the past, instead of waiting. */
const letNotePass = (processId: string) =>
  sql`update processes set suspected_at = suspected_at - interval '11 seconds' where id = ${processId}`.execute(
    db,
  );

/** A lease that beats only when it must, and ends with the test. */
async function start(everyMs = 3_600_000) {
  const processId = randomUUID();
  const lease = await holdLease(url, processId, everyMs);
  onTestFinished(() => lease.stop());
  return { processId, lease };
}

/** The session of the server that holds the lock. */
async function backendOf(processId: string): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks
    where locktype = 'advisory' and granted and database = (
      select oid from pg_database where datname = current_database()
    ) and (classid::bigint << 32) | objid::bigint = hashtextextended(${processId}::text, 0)
  `.execute(db);
  return rows[0]?.pid;
}

/** Ends that session, as a server or a network does. */
const cut = async (processId: string) =>
  sql`select pg_terminate_backend(${await backendOf(processId)}::integer)`.execute(db);

it('shows a process as alive from its start to its end, with its place', async () => {
  const { processId, lease } = await start();
  expect([await isAlive(processId), lease.isHeld()]).toEqual([true, true]);
  const [shown] = (await listProcesses(db)).filter(({ id }) => id === processId);
  expect(shown).toMatchObject({ pid: process.pid, host: expect.any(String), is_alive: true });
  await lease.stop();
  expect([await isAlive(processId), lease.isHeld()]).toEqual([false, false]);
});

it.each([
  ['an hour forward', -3_600],
  ['an hour back', 3_600],
])('keeps all alive when the clock of the database is set %s', async (_, seconds) => {
  const [one, other] = [await start(), await start()];
  await moveBeats(seconds);
  expect([await isAlive(one.processId), await isAlive(other.processId)]).toEqual([true, true]);
  // The first beat after that notes the other one, which has 10 seconds to beat.
  const place = { host: 'one', pid: 1 };
  expect((await touchProcess(db, one.processId, place)).hasDead).toBe(false);
  expect([await isAlive(one.processId), await isAlive(other.processId)]).toEqual([true, true]);
  await touchProcess(db, other.processId, place);
  await letNotePass(other.processId);
  expect(await isAlive(other.processId)).toBe(true);
});

it('takes a process for dead that holds its lock and has stopped beating, until its next beat', async () => {
  const [one, frozen] = [await start(), await start()];
  const place = { host: 'one', pid: 1 };
  await moveBeats(-10);
  await touchProcess(db, one.processId, place);
  await letNotePass(frozen.processId);
  expect(await isAlive(frozen.processId)).toBe(true);
  await moveBeats(-11);
  await touchProcess(db, one.processId, place);
  expect(await isAlive(frozen.processId)).toBe(true);
  await letNotePass(frozen.processId);
  expect([await isAlive(one.processId), await isAlive(frozen.processId)]).toEqual([true, false]);
  expect((await touchProcess(db, one.processId, place)).hasDead).toBe(true);
  await touchProcess(db, frozen.processId, place);
  expect(await isAlive(frozen.processId)).toBe(true);
});

it('takes the lock again when its connection is cut, and counts as dead only without it', async () => {
  const { processId, lease } = await start();
  const before = await backendOf(processId);
  await cut(processId);
  await vi.waitUntil(async () => ![undefined, before].includes(await backendOf(processId)), PATIENTLY);
  await vi.waitUntil(lease.isHeld, PATIENTLY);
  await moveBeats(-4);
  expect(await isAlive(processId)).toBe(true);
});

it('is not held while the database cannot be reached, and says so to who waits for it', async () => {
  const processId = randomUUID();
  let isAway = false;
  const log = vi.fn();
  const lease = createProcessLease({
    ...{ processId, log },
    openSession: () => (isAway ? Promise.reject(new Error('away')) : openSession({ connectionString: url })),
  });
  await lease.start({ everyMs: 20 });
  onTestFinished(() => lease.stop());
  isAway = true;
  await cut(processId);
  await vi.waitUntil(() => !lease.isHeld(), PATIENTLY);
  const error = await lease.expectHeld().catch((reason) => reason);
  expect(isUnavailable(error)).toBe(true);
  await moveBeats(-4);
  await vi.waitUntil(async () => !(await isAlive(processId)), PATIENTLY);
  const events = log.mock.calls.map(([, event]) => event);
  expect(events).toEqual(expect.arrayContaining(['lease lost', 'heartbeat failed']));
  isAway = false;
  await vi.waitUntil(lease.isHeld, PATIENTLY);
  expect(await isAlive(processId)).toBe(true);
});

it('is not held after 10 seconds without a beat, as in a process that was frozen', async () => {
  let time = 0;
  const lease = createProcessLease({
    ...{ processId: randomUUID(), log: silentLog, now: () => time },
    openSession: () => openSession({ connectionString: url }),
  });
  await lease.start({ everyMs: 3_600_000 });
  onTestFinished(() => lease.stop());
  time = 9_999;
  expect(lease.isHeld()).toBe(true);
  time = 10_000;
  expect(lease.isHeld()).toBe(false);
});

it('ends an earlier session of the same process whose end the server has not noticed', async () => {
  const processId = randomUUID();
  const earlier: Session = await openSession({ connectionString: url });
  expect(await takeLock(earlier.db, processId)).toBe(true);
  const lease = await holdLease(url, processId);
  onTestFinished(() => lease.stop());
  await earlier.ended;
  expect([lease.isHeld(), await isAlive(processId)]).toEqual([true, true]);
});

type Changes = { isLocked?: boolean; failsToBeat?: boolean; failsToEnd?: boolean };

/** A session in whose statements something else happens than the server says. */
async function sessionWith(changes: Changes): Promise<Session> {
  const session = await openSession({ connectionString: url });
  const db = session.db.withPlugin({
    transformQuery({ node }) {
      // Kysely writes the row's end. A beat is a text.
      const kind = node.kind === 'DeleteQueryNode' ? 'failsToEnd' : 'failsToBeat';
      if (changes[kind]) throw new Error('The server is away.');
      return node;
    },
    async transformResult({ result }) {
      const [first] = result.rows;
      return changes.isLocked && first && 'is_mine' in first ? { rows: [{ is_mine: false }] } : result;
    },
  });
  return { ...session, db };
}

inLong('does not start while another session keeps its lock, and leaves no session behind', async () => {
  const opened: Session[] = [];
  const lease = createProcessLease({
    ...{ processId: randomUUID(), log: silentLog },
    async openSession() {
      opened.push(await sessionWith({ isLocked: true }));
      return opened.at(-1)!;
    },
  });
  const error = await lease.start({}).catch((reason) => reason);
  expect([isUnavailable(error), error.message]).toEqual([true, 'The lock of this process is taken.']);
  expect(opened).toHaveLength(1);
  await opened[0]!.ended;
  expect(lease.isHeld()).toBe(false);
  await lease.stop();
});

it('gives its session up when a beat fails, and serves those who wait for the next one', async () => {
  const processId = randomUUID();
  const log = vi.fn();
  const changes = { failsToBeat: false };
  const sessions: Session[] = [];
  const lease = createProcessLease({
    ...{ processId, log },
    async openSession() {
      // The lock of the next one is free only when the first has ended.
      await sessions.at(-1)?.ended;
      sessions.push(sessions.length > 0 ? await sessionWith({}) : await sessionWith(changes));
      return sessions.at(-1)!;
    },
  });
  await lease.start({ everyMs: 5 });
  onTestFinished(() => lease.stop());
  changes.failsToBeat = true;
  await vi.waitUntil(() => log.mock.calls.length > 0, PATIENTLY);
  const isHeld = () =>
    lease.expectHeld().then(
      () => true,
      () => false,
    );
  while (!(await isHeld()));
  expect([lease.isHeld(), sessions.length]).toEqual([true, 2]);
  expect(log.mock.calls.slice(0, 2)).toEqual([
    ['warn', 'lease lost'],
    ['warn', 'heartbeat failed', expect.anything()],
  ]);
});

it('lets who waits for the lease go on as soon as it is there', async () => {
  // However slow the machine is, the lease comes before the end of that wait.
  holdTimers((ms) => ms === 1_000);
  const letOpen: ((session: Session) => void)[] = [];
  const lease = createProcessLease({
    ...{ processId: randomUUID(), log: silentLog },
    openSession: () => new Promise((resolve) => letOpen.push(resolve)),
  });
  const started = lease.start({ everyMs: 3_600_000 });
  onTestFinished(() => lease.stop());
  const held = lease.expectHeld();
  letOpen[0]!(await openSession({ connectionString: url }));
  await Promise.all([started, held]);
  expect(lease.isHeld()).toBe(true);
});

it('ends also when its row cannot be removed, and says so', async () => {
  const processId = randomUUID();
  const log = vi.fn();
  const session = await sessionWith({ failsToEnd: true });
  const lease = createProcessLease({ processId, log, openSession: async () => session });
  await lease.start({ everyMs: 3_600_000 });
  await lease.stop();
  expect(log.mock.calls).toEqual([['warn', 'process not removed', expect.anything()]]);
  // Its lock ends with the session, so the others see its end all the same.
  await session.ended;
  await vi.waitUntil(async () => (await backendOf(processId)) === undefined, PATIENTLY);
});

it('makes its row again after another process has deleted it', async () => {
  const { processId } = await start(5);
  await sql`delete from processes where id = ${processId}`.execute(db);
  await vi.waitUntil(() => isAlive(processId), PATIENTLY);
});

it('tells at each beat that another process is dead', async () => {
  const dead = await holdLease(url, randomUUID(), 3_600_000);
  const processId = randomUUID();
  const lease = createProcessLease({
    ...{ processId, log: silentLog },
    openSession: () => openSession({ connectionString: url }),
  });
  onTestFinished(() => lease.stop());
  const died = new Promise<void>((resolve) => void lease.start({ everyMs: 5, onDeath: resolve }));
  expect(await Promise.race([died, 'nobody died'])).toBe('nobody died');
  await sql`update processes set suspected_at = clock_timestamp() - interval '11 seconds' where id <> ${processId}`.execute(
    db,
  );
  await died;
  await dead.stop();
});

it('takes processes of earlier releases for alive for 10 seconds after each beat', async () => {
  const processId = randomUUID();
  await touchProcess(db, processId);
  await moveBeats(-5);
  expect(await isAlive(processId)).toBe(true);
  await moveBeats(-5);
  expect(await isAlive(processId)).toBe(false);
});

it('forgets processes a minute after they died, and never one that is alive', async () => {
  const { processId: alive } = await start();
  const [dead, silent] = [randomUUID(), randomUUID()];
  await touchProcess(db, dead, { host: 'gone', pid: 1 });
  await touchProcess(db, silent);
  await moveBeats(-50);
  await forgetProcesses(db);
  const left = async () =>
    (await db.selectFrom('processes').select('id').where('id', 'in', [alive, dead, silent]).execute()).length;
  expect(await left()).toBe(3);
  await moveBeats(-11);
  await forgetProcesses(db);
  expect(await left()).toBe(1);
});

it('runs one suspect at a time, also after one that failed', async () => {
  const { lease } = await start();
  const order: string[] = [];
  const run = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
    if (name === 'bad') throw new Error('bad');
  };
  const results = await Promise.allSettled(['one', 'bad', 'two'].map((name) => lease.runSuspect(run(name))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual(['one begins', 'one ends', 'bad begins', 'bad ends', 'two begins', 'two ends']);
});

/** Their versions take 25 pages. */
const BEATS = 2_000;

inLong('finds a process alive without reading its former beats, which an open snapshot keeps', async () => {
  const { processId } = await start();
  const explained = explainAll(url);
  onTestFinished(() => explained.close());
  const buffersOfLook = async () => {
    await sql`select is_process_alive(${processId})`.execute(explained.db);
    return explained.take()[0]!;
  };
  const reading = db.transaction().setIsolationLevel('repeatable read');
  await reading.execute(async (snapshot) => {
    await sql`select from processes limit 1`.execute(snapshot);
    // The first one also plans.
    await buffersOfLook();
    const before = await buffersOfLook();
    let row: string | undefined;
    for (let beats = 0; beats < BEATS; beats += 1)
      row = (await touchProcess(db, processId, { host: 'here', pid: 1 }, row)).row;
    await sql`analyze processes`.execute(db);
    await buffersOfLook();
    expect(await buffersOfLook()).toBeLessThanOrEqual(before + 10);
    expect(await isAlive(processId)).toBe(true);
  });
});
