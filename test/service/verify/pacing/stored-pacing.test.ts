import { randomUUID } from 'node:crypto';
import { type KyselyPlugin, sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HeldBack, Pacing, Slot } from '../../../../src/engine/pacing/pacing.ts';
import { silentLog } from '../../../../src/service/core/log.ts';
import { DatabaseAwayError } from '../../../../src/service/database/unavailable.ts';
import { releaseLock, takeLock } from '../../../../src/service/jobs/process-store.ts';
import { createForgetPaces, paceAll } from '../../../../src/service/verify/pacing/pacing-store.ts';
import { createStoredPacing } from '../../../../src/service/verify/pacing/stored-pacing.ts';
import { describePacing } from '../../../engine/pacing/pacing-suite.ts';
import { inLong } from '../../../in-long.ts';
import { rounds } from '../../../long.mjs';
import { untilBlocked } from '../../support/blocked.ts';
import { prepareChildren } from '../../support/children.ts';
import { countRoundTrips } from '../../support/counted-database.ts';
import { testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { silence } from '../../support/process.ts';
import { createStoredWorld, type StoredWorld } from './world.ts';

const database = await testDatabase();
const { db } = database;
const pools = [database.connect(), database.connect()];
const children = await prepareChildren('test/service/verify/pacing/child.ts');

describePacing('pacing in the database, by one process', () => createStoredWorld(db, [db]));
describePacing('pacing in the database, by two processes', () => createStoredWorld(db, pools));

let world: StoredWorld;
afterEach(() => world?.close());

const LIMITS = { connections: 1, perMinute: 1000 };
const PATIENT_MS = 60_000;
const never = new AbortController().signal;
const enter = (pacing: Pacing, organisation = 'Example', signal = new AbortController().signal) =>
  pacing.enter(organisation, LIMITS, PATIENT_MS, signal);
const slotOf = async (entering: ReturnType<Pacing['enter']>): Promise<Slot> => {
  const entered = await entering;
  if (typeof entered === 'string') throw new Error(`Expected a slot, got ${entered}.`);
  return entered;
};
const begin = (pacing: Pacing, organisation?: string) => slotOf(enter(pacing, organisation));
/** Waits for a conversation in the background. */
const beginBehind = (pacing: Pacing, connections: number) =>
  slotOf(pacing.enter('Example', { connections, perMinute: 1000 }, PATIENT_MS, never, true));
const rowsOf = async (table: 'paces' | 'conversations' | 'conversation_waits') =>
  (await sql`select from ${sql.table(table)}`.execute(db)).rows.length;

/** Of three organisations, each of which takes 20 in a minute. */
const VISITS = rounds(66, 240);

inLong('never lets two processes begin more than allowed, at once and in a minute', async () => {
  world = await createStoredWorld(db, pools);
  // The database itself notes every beginning, in the transaction that makes it.
  await sql`create table begun (at timestamptz, organisation text, open integer)`.execute(db);
  await sql`
    create function note_begun() returns trigger language plpgsql as $$
    begin
      insert into begun select new.begun_at, new.organisation, count(*) from conversations
      where organisation = new.organisation;
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger begun after insert on conversations for each row execute function note_begun()
  `.execute(db);
  const limits = { connections: 3, perMinute: 20 };
  const ended: (Slot | HeldBack)[] = [];
  const visit = async (number: number) => {
    const organisation = `Organisation ${number % 3}`;
    const { signal } = new AbortController();
    const entered = await world.pacings[number % 2]!.enter(organisation, limits, 1e9, signal);
    ended.push(entered);
    if (typeof entered === 'string') return;
    await sql`select pg_sleep(${0.001 * (number % 4)})`.execute(pools[number % 2]!);
    entered.leave(number % 40 === 0);
  };
  const visits = Promise.all(Array.from({ length: VISITS }, (_, number) => visit(number)));
  while (ended.length < VISITS) {
    await world.consider();
    await world.advance(700);
  }
  await visits;
  await sql`drop trigger begun on conversations`.execute(db);
  expect(ended.every((entered) => typeof entered === 'object')).toBe(true);
  const { rows } = await sql<{ most_open: number; most_in_minute: number; begun: number }>`
    select max(open) as most_open, count(*) as begun, max((
      select count(*) from begun as others
      where others.organisation = begun.organisation
        and others.at > begun.at - interval '1 minute' and others.at <= begun.at
    )) as most_in_minute from begun
  `.execute(db);
  expect(rows).toEqual([{ most_open: 3, most_in_minute: 20, begun: VISITS }]);
  // 240 visits take four minutes: some 350 steps, each of which waits for the database.
});

it('frees the conversations of a process that was killed', async () => {
  world = await createStoredWorld(db, [db]);
  const child = children.start({ DATABASE_URL: database.url, ORGANISATION: 'Example' });
  const { processId } = await child.next<{ processId: string }>();
  const waits = enter(world.pacings[0]!);
  await world.consider();
  await child.kill();
  // As if the server had not noticed. Otherwise, it would be dead three seconds after its last beat.
  const session = database.connect(1);
  await vi.waitUntil(async () => {
    await silence(db, processId, 0);
    return takeLock(session, processId);
  }, PATIENTLY);
  await world.consider();
  expect(await Promise.race([waits, 'waiting'])).toBe('waiting');
  await releaseLock(session, processId);
  // Instead of waiting for 10 seconds.
  await silence(db, processId, 11);
  expect(await waits).toHaveProperty('leave');
});

it('needs one round trip to begin and one to end, and shares it between organisations', async () => {
  const counted = countRoundTrips(database.url);
  world = await createStoredWorld(counted.db, [counted.db]);
  const [pacing] = world.pacings;
  counted.take();
  const slot = await begin(pacing!);
  expect(counted.take()).toHaveLength(1);
  slot.leave(false);
  const next = begin(pacing!);
  // The end and the next beginning go together.
  await next;
  expect(counted.take()).toHaveLength(1);
  const names = Array.from({ length: 30 }, (_, number) => `Organisation ${number}`);
  const slots = await Promise.all(names.map((name) => begin(pacing!, name)));
  expect(counted.take().length).toBeLessThanOrEqual(4);
  for (const each of [...slots, await next]) each.leave(false);
  await pacing!.stop();
  expect(counted.take().length).toBeLessThanOrEqual(4);
  expect(await rowsOf('conversations')).toBe(0);
  await counted.close();
});

it('gives each process its turn, however many wait in the other one', async () => {
  world = await createStoredWorld(db, pools);
  const [busy, other] = world.pacings;
  let isOver = false;
  const hog = async () => {
    while (!isOver) {
      const slot = await begin(busy!);
      await sql`select 1`.execute(db);
      // Time passes, so that each who comes comes later.
      await world.advance(150);
      slot.leave(false);
    }
  };
  const hogs = Promise.all([hog(), hog(), hog()]);
  for (let turn = 0; turn < 3; turn += 1) (await begin(other!)).leave(false);
  isOver = true;
  await hogs;
});

it('ends a background conversation after three seconds for a process that has none', async () => {
  world = await createStoredWorld(db, pools);
  const [busy, other] = world.pacings;
  const slot = await beginBehind(busy!, 1);
  const first = beginBehind(other!, 1);
  await world.advance(200);
  const second = beginBehind(busy!, 1);
  await world.advance(2_700);
  await world.consider();
  expect(slot.wanted).toBe(0);
  await world.advance(200);
  await world.consider();
  expect(slot.wanted).toBe(1);
  slot.leave(false);
  (await first).leave(false);
  (await second).leave(false);
});

it('keeps a background conversation although a process that has one waits for more', async () => {
  world = await createStoredWorld(db, pools);
  const [busy, other] = world.pacings;
  const slots = [await beginBehind(busy!, 2), await beginBehind(other!, 2)];
  const waits = [beginBehind(busy!, 2), beginBehind(other!, 2)];
  await world.advance(10_000);
  await world.consider();
  expect(slots.map(({ wanted }) => wanted)).toEqual([0, 0]);
  for (const slot of slots) slot.leave(false);
  for (const waiting of waits) (await waiting).leave(false);
});

it('does not let others wait for those who have given up', async () => {
  world = await createStoredWorld(db, pools);
  const [first, second] = world.pacings;
  const slot = await begin(first!);
  const leaving = new AbortController();
  const waits = enter(second!, 'Example', leaving.signal);
  await world.consider();
  expect(await rowsOf('conversation_waits')).toBe(1);
  leaving.abort();
  expect(await waits).toBe('connections');
  await vi.waitUntil(async () => (await rowsOf('conversation_waits')) === 0);
  slot.leave(false);
  await begin(first!);
});

it('keeps one row for an organisation, whoever adds another', async () => {
  world = await createStoredWorld(db, pools);
  const row = { organisation: 'Example' };
  await Promise.all(pools.map((pool) => pool.insertInto('paces').values(row).execute()));
  expect(await rowsOf('paces')).toBe(1);
});

it('waits no longer than a second for a process that no longer asks', async () => {
  world = await createStoredWorld(db, [db]);
  const times = { since: new Date(0), seen_at: world.now() };
  const wait = { organisation: 'Example', process_id: randomUUID(), in_background: false, ...times };
  await db.insertInto('conversation_waits').values(wait).execute();
  const waits = enter(world.pacings[0]!);
  await world.consider();
  expect(await Promise.race([waits, 'waiting'])).toBe('waiting');
  await world.advance(1_001);
  expect(await waits).toHaveProperty('leave');
});

it('gives back what began for someone who has given up meanwhile', async () => {
  world = await createStoredWorld(db, pools);
  (await begin(world.pacings[0]!)).leave(false);
  await world.spread();
  const leaving = new AbortController();
  await db.transaction().execute(async (transaction) => {
    await sql`select from paces for update`.execute(transaction);
    const waits = enter(world.pacings[0]!, 'Example', leaving.signal);
    await untilBlocked(db);
    leaving.abort();
    expect(await waits).toBe('connections');
  });
  await begin(world.pacings[1]!);
});

it('begins nothing in a process that the others take for dead', async () => {
  world = await createStoredWorld(db, [db]);
  await silence(db, world.processIds[0]!, 11);
  const waits = enter(world.pacings[0]!);
  await world.consider();
  expect(await rowsOf('conversations')).toBe(0);
  await silence(db, world.processIds[0]!, -11);
  expect(await waits).toHaveProperty('leave');
});

/** A database that is away while the test says so, and that loses replies. */
function disturb(): KyselyPlugin & { isAway: boolean; losesReplies: boolean } {
  return {
    isAway: false,
    losesReplies: false,
    transformQuery({ node }) {
      if (this.isAway) throw new DatabaseAwayError('away');
      return node;
    },
    async transformResult({ result }) {
      if (this.losesReplies) throw new Error('Connection terminated unexpectedly');
      return result;
    },
  };
}

it('lets nobody begin while the database is away, ends their waits, and goes on when it is back', async () => {
  const trouble = disturb();
  world = await createStoredWorld(db, [db.withPlugin(trouble)]);
  const [pacing] = world.pacings;
  const slot = await begin(pacing!);
  trouble.isAway = true;
  slot.leave(false);
  const leaving = new AbortController();
  const hasty = enter(pacing!, 'Example', leaving.signal);
  const patient = enter(pacing!);
  leaving.abort();
  expect(await hasty).toBe('connections');
  trouble.isAway = false;
  // The end of the first conversation is written as well.
  expect(await patient).toHaveProperty('leave');
});

it('frees a conversation whose beginning got no reply', async () => {
  const trouble = disturb();
  world = await createStoredWorld(db, [db.withPlugin(trouble)]);
  const [pacing] = world.pacings;
  trouble.losesReplies = true;
  const leaving = new AbortController();
  const lost = enter(pacing!, 'Example', leaving.signal);
  await vi.waitUntil(async () => (await rowsOf('conversations')) === 1);
  leaving.abort();
  await lost;
  trouble.losesReplies = false;
  const held = await begin(pacing!, 'Other');
  await pacing!.releaseLost();
  expect(await rowsOf('conversations')).toBe(1);
  await begin(pacing!);
  held.leave(false);
});

it('stops although the database is away, and sends those away who wait', async () => {
  const trouble = disturb();
  world = await createStoredWorld(db, [db.withPlugin(trouble)]);
  const [pacing] = world.pacings;
  const slot = await begin(pacing!);
  const waits = enter(pacing!);
  await world.consider();
  trouble.isAway = true;
  slot.leave(false);
  await pacing!.stop();
  expect(await waits).toBe('connections');
  expect(await enter(pacing!)).toBe('connections');
});

it('forgets what is quiet and what dead processes have left, and nothing else', async () => {
  world = await createStoredWorld(db, [db]);
  const [pacing] = world.pacings;
  const open = await begin(pacing!, 'open');
  (await begin(pacing!, 'quiet')).leave(false);
  (await begin(pacing!, 'paused')).leave(true);
  await world.spread();
  const ofDead = {
    ...{ id: randomUUID(), organisation: 'quiet', process_id: randomUUID() },
    ...{ begun_after: 0, begun_at: world.now() },
  };
  await db.insertInto('conversations').values(ofDead).execute();
  for (const [passed, paces] of [
    [0, 3],
    [62_000, 2],
    [601_000, 1],
  ] as const) {
    await world.advance(passed);
    await createForgetPaces(db, world.now())();
    expect([await rowsOf('paces'), await rowsOf('conversations')]).toEqual([paces, 1]);
  }
  open.leave(false);
});

it('shortens what is too far in the future after the clock of the database was set back', async () => {
  world = await createStoredWorld(db, [db]);
  const [pacing] = world.pacings;
  (await begin(pacing!)).leave(true);
  await world.spread();
  await world.advance(-24 * 3_600_000);
  expect(await pacing!.enter('Example', LIMITS, 599_000, never)).toBe('paused');
  expect(await enter(pacing!)).toBe('paused');
  const patient = pacing!.enter('Example', LIMITS, 700_000, never);
  await world.consider();
  await world.advance(600_000);
  expect(await patient).toHaveProperty('leave');
});

it('goes by the clock of the database', async () => {
  world = await createStoredWorld(db, [db]);
  const pacing = createStoredPacing({ db, processId: world.processIds[0]!, log: silentLog });
  const limits = { connections: 1, perMinute: 1 };
  const slot = (await pacing.enter('Example', limits, 0, never)) as Slot;
  slot.leave(false);
  expect(await pacing.enter('Example', limits, 50_000, never)).toBe('per minute');
  const { rows } = await sql<{ isNow: boolean }>`
    select used_at between clock_timestamp() - interval '10 seconds' and clock_timestamp() as "isNow" from paces
  `.execute(db);
  expect(rows).toEqual([{ isNow: true }]);
  await pacing.stop();
});

it('changes the index of an organisation once a second at most', async () => {
  world = await createStoredWorld(db, [db]);
  const [pacing] = world.pacings;
  const converse = async () => {
    (await begin(pacing!)).leave(false);
    await world.spread();
    const { rows } = await sql<{ at: Date }>`select used_at as at from paces`.execute(db);
    return rows[0]!.at.getTime();
  };
  const first = await converse();
  await world.advance(600);
  expect(await converse()).toBe(first);
  await world.advance(600);
  expect(await converse()).toBeGreaterThan(first + 1_000);
});

describe('a process that asks again while all conversations are taken', () => {
  const round = { organisation: 'Example', limits: { connections: 1, perMinute: 60 }, inBackground: false };
  const asking = () => ({ ...round, ids: [randomUUID()], waitedMs: [0], endings: [] });

  async function taken() {
    world = await createStoredWorld(db, [db]);
    const [processId] = world.processIds;
    const now = world.now();
    const ask = (at = now) => paceAll(db, processId!, [asking()], at);
    expect(await ask()).toMatchObject([{ begun: 1 }]);
    return { ask, now };
  }

  it('waits for nobody who has locked the organisation', async () => {
    const { ask } = await taken();
    await db.transaction().execute(async (other) => {
      await sql`select from paces for update`.execute(other);
      expect(await ask()).toMatchObject([{ begun: 0, held_back: 'connections' }]);
    });
  });

  it('changes no row, as long as the others see it', async () => {
    const { ask, now } = await taken();
    const look = sql`
      select xmin::text, ctid::text from paces union all select xmin::text, ctid::text from conversation_waits
    `;
    const versions = async () => (await look.execute(db)).rows;
    await ask();
    const before = await versions();
    await ask(new Date(now.getTime() + 40));
    expect(await versions()).toEqual(before);
    await ask(new Date(now.getTime() + 400));
    expect(await versions()).not.toEqual(before);
  });
});
