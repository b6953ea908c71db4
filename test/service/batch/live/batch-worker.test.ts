import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FACT_AWAITED, HELD_BACK } from '../../../../src/engine/verdict.ts';
import type { Verified, Verifier } from '../../../../src/engine/verifier.ts';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { claimRows, finishRows, makeReady } from '../../../../src/service/batch/live/claim-store.ts';
import { pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { removeProcess } from '../../../../src/service/jobs/process-store.ts';
import { inLong } from '../../../in-long.ts';
import { creditsOf, ledgerOf } from '../../support/account.ts';
import {
  answers,
  COMPLETED,
  claimedOf as claimedOfBatch,
  createBatch as createTestBatch,
  makeOlder,
  OPEN,
  rowsOf as rowsOfBatch,
  startWorker,
  type TestBatchOptions,
} from '../../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { PUBLIC_URL, settingsWith } from '../../support/deps.ts';
import { scriptVerifier } from '../../support/live.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { onRows } from '../../support/plugins.ts';
import { addProcess } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';

const { db, connect } = await testDatabase();
// What a test leaves open is not the next one's.
emptyBeforeEach(db, 'batches');

const createBatch = (count: number, options?: TestBatchOptions) => createTestBatch(db, count, options);
const work = (verifier: Verifier, options?: Parameters<typeof startWorker>[2]) =>
  startWorker(db, verifier, options);
const rowsOf = (id: string) => rowsOfBatch(db, id);
const claimedOf = (id: string) => claimedOfBatch(db, id);

it('verifies every address once, and completes the batch', async () => {
  const batch = await createBatch(250, { domain: (place) => `d${place % 7}.example` });
  const asked: string[] = [];
  await work((request) => {
    asked.push(request.address);
    expect(request).toMatchObject({ smtp: true, acceptAll: true, inBackground: true });
    return answers('deliverable')(request);
  });
  await batch.until(COMPLETED, 251);
  expect([asked.length, new Set(asked).size]).toEqual([250, 250]);
  const body = (await readStatus(db, batch, PUBLIC_URL))!;
  expect(body).toMatchObject({ total_counts: { deliverable: 250, duplicate: 1 }, emails: expect.any(Array) });
  expect((body.emails as object[])[0]).not.toHaveProperty('duration');
  expect(await ledgerOf(db, batch.accountId)).toEqual({ 'top-up': 1, batch: 1 });
});

it.each([
  [true, true, true],
  [true, false, false],
  [false, true, true],
  [false, undefined, false],
])('asks for accept-all by default: %s, with the choice of the batch: %s', async (standard, chosen, asks) => {
  const batch = await createBatch(3, { acceptAll: chosen });
  const asked: boolean[] = [];
  const verifier: Verifier = (request) => {
    asked.push(request.acceptAll);
    return answers('deliverable')(request);
  };
  await work(verifier, { settings: settingsWith({ live: { catchAllByDefault: standard } }) });
  await batch.until(COMPLETED, 4);
  expect(asked).toEqual([asks, asks, asks]);
});

// An address is put back while another conversation asks about its domain.
it.each([
  ['a new', 0],
  ['an old', 1],
])('puts an address of %s batch back, and verifies those at other domains', async (_age, days) => {
  const batch = await createBatch(12, { domain: (place) => (place < 8 ? 'Asked.example' : 'other.example') });
  await makeOlder(db, batch.id, days);
  const evidence = [{ atMs: 0, stage: 'verdict', rule: FACT_AWAITED, text: '' }] as const;
  let isAsked = true;
  let putBack = 0;
  const verifier: Verifier = async (request) => {
    if (!isAsked || !request.address.endsWith('@Asked.example')) return answers('deliverable')(request);
    putBack += 1;
    return { result: resultOf(request.address, 'unknown'), evidence };
  };
  await work(verifier, { findOrganisation: async () => 'shared' });
  await batch.until(OPEN, 4);
  isAsked = false;
  await batch.until(COMPLETED, 13);
  expect(putBack).toBeGreaterThan(0);
  const ends = (await rowsOf(batch.id)).map(({ attempt, tries, reason }) => [attempt, tries, reason]);
  expect(ends).toEqual(Array(12).fill([1, 0, 'accepted_email']));
});

it('shows each result at once, while others are open', async () => {
  const batch = await createBatch(21);
  const script = scriptVerifier();
  await work((request) =>
    request.address.startsWith('u7@') ? script.verifier(request) : answers('deliverable')(request),
  );
  await batch.until(OPEN, 21);
  script.answer();
  await batch.until(COMPLETED, 22);
});

inLong('begins batches of many accounts, however many there are', async () => {
  const script = scriptVerifier();
  const batches = [];
  for (let number = 0; number < 46; number += 1)
    batches.push(await createBatch(30, { domain: (place) => `d${place}.b${number}.example` }));
  await work(script.verifier);
  // None is answered meanwhile.
  const begun = () => new Set(script.calls.map(({ address }) => address.split('.')[1]));
  await vi.waitFor(() => expect(begun().size).toBe(46), PATIENTLY);
  script.answer('deliverable', 'always');
  for (const batch of batches) await batch.until(COMPLETED, 31);
});

describe('an account that comes later', () => {
  const own = (name: string) => (place: number) => `${name}${place}.example`;

  it('begins at once, although others wait for silent servers', async () => {
    const script = scriptVerifier();
    const worker = await work((request) =>
      request.address.endsWith('quick.example') ? answers('deliverable')(request) : script.verifier(request),
    );
    const silent = [];
    for (const name of ['a', 'b', 'c']) silent.push(await createBatch(500, { domain: own(name) }));
    worker.wake();
    for (const { id } of silent) await vi.waitFor(async () => expect(await claimedOf(id)).toBeGreaterThan(0));
    await script.called(80);
    const batch = await createBatch(10, { domain: (place) => `${place}.quick.example` });
    await batch.until(COMPLETED, 11);
    script.answer('deliverable', 'always');
  });

  inLong('gets a part of the claims that an earlier one has, which never are more than 400', async () => {
    const script = scriptVerifier();
    const worker = await work(script.verifier);
    const batches: Awaited<ReturnType<typeof createBatch>>[] = [];
    for (let number = 0; number < 20; number += 1) {
      batches.push(await createBatch(450, { domain: own(`b${number}-`) }));
      worker.wake();
      await vi.waitFor(async () => expect(await claimedOf(batches.at(-1)!.id)).toBeGreaterThan(0), PATIENTLY);
      const { rows } = await sql`select from batch_rows where process_id is not null`.execute(db);
      expect(rows.length).toBeLessThanOrEqual(400);
    }
    // A worker that joins has work.
    const other = scriptVerifier();
    await work(other.verifier);
    await other.called(1);
  });
});

it('completes the batches of others while the account of one is locked', async () => {
  const [locked, other] = [await createBatch(1), await createBatch(1)];
  const locking = await db.startTransaction().execute();
  await sql`select from accounts where id = ${locked.accountId} for update`.execute(locking);
  await work(answers('deliverable'));
  await other.until(COMPLETED, 2);
  expect(await locked.status()).toEqual([OPEN, 2]);
  await locking.rollback().execute();
  await locked.until(COMPLETED, 2);
});

it('takes turns among domains, and asks only so many in each at once', async () => {
  const batch = await createBatch(60, { domain: (place) => (place < 50 ? 'Slow.example' : 'fast.example') });
  const script = scriptVerifier();
  await work((request) =>
    request.address.endsWith('@fast.example') ? answers('deliverable')(request) : script.verifier(request),
  );
  await batch.until(OPEN, 10);
  expect(script.calls).toHaveLength(4);
  script.answer('deliverable', 'always');
  await batch.until(COMPLETED, 61);
});

it('counts domains with the same mail servers as one', async () => {
  const batch = await createBatch(12);
  const script = scriptVerifier();
  await work(script.verifier, { findOrganisation: async () => 'Google' });
  await script.called(4);
  script.answer('deliverable', 'always');
  await batch.until(COMPLETED, 13);
});

it('lets a small batch overtake a large one with the same mail servers', async () => {
  const large = await createBatch(600, { domain: () => 'x.example' });
  const script = scriptVerifier();
  const worker = await work(script.verifier);
  await script.called(4);
  const small = await createBatch(2, { domain: () => 'x.example' });
  worker.wake();
  await vi.waitFor(async () => expect(await claimedOf(small.id)).toBe(2));
  script.answer();
  await script.called(8);
  script.answer();
  await small.until(COMPLETED, 3);
  expect((await large.status())[1]).toBeLessThan(12);
});

describe('an unknown result', () => {
  it('gives its credit back once, when the batch is completed', async () => {
    const batch = await createBatch(5, { retries: false });
    await work(async (request) =>
      answers(request.address.startsWith('u0') ? 'deliverable' : 'unknown')(request),
    );
    await batch.until(COMPLETED, 6);
    expect(await creditsOf(db, batch.accountId)).toBe(4);
    expect(await ledgerOf(db, batch.accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
  });

  it('costs its credit if the operator says so', async () => {
    const batch = await createBatch(2, { retries: false });
    await work(answers('unknown'), { settings: settingsWith({ refundUnknown: false }) });
    await batch.until(COMPLETED, 3);
    expect(await creditsOf(db, batch.accountId)).toBe(0);
  });

  it('is tried again after each pause, and counts when there is no other', async () => {
    const batch = await createBatch(1);
    let tries = 0;
    const verifier: Verifier = (request) => {
      tries += 1;
      return answers('unknown')(request);
    };
    await work(verifier, { settings: settingsWith({ live: { greylistRetries: [600, 900] } }) });
    const pauses: number[] = [];
    for (const expected of [1, 2]) {
      await vi.waitFor(async () => expect((await rowsOf(batch.id))[0]).toMatchObject({ tries: expected }));
      expect((await rowsOf(batch.id))[0]).toMatchObject({ process_id: null, reason: null });
      expect(tries).toBe(expected);
      // The worker wrote it a moment ago.
      const { rows } = await sql<{ pause: number }>`
        with before as (select due_at from batch_rows where batch_id = ${batch.id})
        update batch_rows set due_at = clock_timestamp() from before where batch_id = ${batch.id}
        returning round(extract(epoch from before.due_at - clock_timestamp()) / 100)::float8 as pause
      `.execute(db);
      pauses.push(rows[0]!.pause);
    }
    expect(pauses).toEqual([6, 9]);
    await batch.until(COMPLETED, 2);
    expect(tries).toBe(3);
  });

  it('that another try settles does not count', async () => {
    const batch = await createBatch(1);
    let tries = 0;
    const verifier: Verifier = (request) => {
      tries += 1;
      return answers(tries === 1 ? 'unknown' : 'deliverable')(request);
    };
    await work(verifier, { settings: settingsWith({ live: { greylistRetries: [0.05] } }) });
    await batch.until(COMPLETED, 2);
    expect(await creditsOf(db, batch.accountId)).toBe(0);
  });

  it.each([
    ['a verifier that fails', () => Promise.reject(new Error('a bug'))],
    ['a verifier that gives up', async () => ({ result: undefined, later: undefined })],
  ] satisfies [string, Verifier][])('comes of %s', async (_, verifier) => {
    const batch = await createBatch(1, { retries: false });
    await work(verifier);
    await batch.until(COMPLETED, 2);
    expect(await readStatus(db, batch, PUBLIC_URL)).toMatchObject({
      emails: [{ email: 'u0@d0.example', reason: 'unexpected_error', state: 'unknown' }],
    });
  });
});

it('waits for the result of a verification that takes long', async () => {
  const batch = await createBatch(1);
  await work(async ({ address }) => ({
    result: undefined,
    later: Promise.resolve({ result: resultOf(address), evidence: [] }),
  }));
  await batch.until(COMPLETED, 2);
});

describe('an address that was held back', () => {
  const HELD: Verified['evidence'] = [{ atMs: 0, stage: 'verdict', rule: HELD_BACK, text: '' }];
  /** Completes a batch whose address is held back so many times. @returns how often it was asked about */
  async function askedAbout({ id, until }: Awaited<ReturnType<typeof createBatch>>, times: number) {
    let asked = 0;
    await work(async ({ address }) => {
      asked += 1;
      return { result: resultOf(address, 'unknown'), evidence: asked <= times ? HELD : [] };
    });
    await until(COMPLETED, 2);
    expect((await rowsOf(id))[0]).toMatchObject({ attempt: 1, tries: 0 });
    return asked;
  }

  it('is asked about again soon, without a try', async () => {
    expect(await askedAbout(await createBatch(1, { retries: false }), 3)).toBe(4);
  });

  it('is unknown when its batch is a day old', async () => {
    const batch = await createBatch(1, { retries: false });
    await makeOlder(db, batch.id, 2);
    expect(await askedAbout(batch, 9)).toBe(1);
  });

  it('is asked about again when its batch is old and was resumed just now', async () => {
    const batch = await createBatch(1, { retries: false });
    await makeOlder(db, batch.id, 2);
    await pauseBatch(db, { id: batch.id });
    await resumeBatch(db, { id: batch.id });
    expect(await askedAbout(batch, 1)).toBe(2);
  });
});

describe('several processes', () => {
  it('verify every address once', async () => {
    const batch = await createBatch(900, { domain: (place) => `d${place % 50}.example` });
    const asked: string[] = [];
    const verifier: Verifier = async (request) => {
      asked.push(request.address);
      await new Promise(setImmediate);
      return answers('unknown')(request);
    };
    for (let count = 0; count < 3; count += 1)
      await work(verifier, { settings: settingsWith({ live: { greylistRetries: [] } }), db: connect(3) });
    await batch.until(COMPLETED, 901);
    expect([asked.length, new Set(asked).size]).toEqual([900, 900]);
    expect(await ledgerOf(db, batch.accountId)).toEqual({ 'top-up': 1, batch: 1, 'batch-refund': 1 });
  });

  it('take over what a dead one had claimed, and refuse its late results', async () => {
    const batch = await createBatch(3);
    const dead = randomUUID();
    await addProcess(db, dead);
    const claimed = await claimRows(db, dead, [{ id: batch.id, most: 2 }]);
    expect(claimed).toHaveLength(2);
    await work(answers('deliverable'));
    await batch.until(OPEN, 1);
    await removeProcess(db, dead);
    await batch.until(COMPLETED, 4);
    await finishRows(db, dead, [{ row: claimed[0]!, result: resultOf('u0@d0.example', 'unknown') }]);
    expect((await rowsOf(batch.id)).map(({ reason }) => reason)).toEqual(Array(3).fill('accepted_email'));
  });

  it('leave the results of an earlier claim of the same process out', async () => {
    const batch = await createBatch(1);
    const processId = randomUUID();
    await addProcess(db, processId);
    const [first] = await claimRows(db, processId, [{ id: batch.id, most: 1 }]);
    await removeProcess(db, processId);
    await makeReady(db);
    await claimRows(db, processId, [{ id: batch.id, most: 1 }]);
    await finishRows(db, processId, [{ row: first!, result: resultOf('u0@d0.example') }]);
    expect((await rowsOf(batch.id))[0]).toMatchObject({ reason: null, process_id: processId, attempt: 2 });
  });
});

it('leaves addresses of a batch to a worker that joins while all that began wait for their mail servers', async () => {
  const batch = await createBatch(300);
  const script = scriptVerifier();
  const first = await work(script.verifier);
  // A fifth of what may be at work is kept for other accounts.
  await script.called(80);
  const second = await work(script.verifier);
  await script.called(160);
  const rows = await rowsOf(batch.id);
  const [ofFirst, ofSecond] = [first, second].map(
    ({ processId }) => rows.filter((row) => row.process_id === processId).length,
  );
  // The first one has what is at work, and as many that wait as began a moment ago.
  expect(ofFirst).toBeLessThanOrEqual(200);
  expect(ofSecond).toBeGreaterThanOrEqual(60);
});

it('makes a pause between its looks when it has lost its lock after a claim', async () => {
  const batch = await createBatch(10);
  let isLost = false;
  let looks = 0;
  let atOnce = 0;
  let most = 0;
  await work(answers('deliverable'), {
    lease: { isHeld: () => !isLost, expectHeld: async () => {}, runSuspect: (run) => run() },
    async findOrganisation() {
      isLost = looks < 5;
      return undefined;
    },
    monitor: {
      goesOn() {},
      ended() {
        looks += 1;
        atOnce += 1;
        most = Math.max(most, atOnce);
        setImmediate(() => {
          atOnce = 0;
        });
        // Also ends looks that never let anything else run.
        if (looks === 50) isLost = false;
      },
    },
  });
  await vi.waitUntil(() => looks >= 5);
  isLost = false;
  await batch.until(COMPLETED, 11);
  expect(most).toBeLessThan(5);
});

it('claims again what it has lost track of', async () => {
  const batch = await createBatch(1);
  const processId = randomUUID();
  await addProcess(db, processId);
  await claimRows(db, processId, [{ id: batch.id, most: 1 }]);
  await work(answers('deliverable'), { processId });
  await batch.until(COMPLETED, 2);
});

it('leaves a paused batch alone, and claims nothing while no mail server can be reached', async () => {
  const batch = await createBatch(1);
  await db.updateTable('batches').set({ paused_at: new Date() }).where('id', '=', batch.id).execute();
  let isPortClosed = true;
  const script = scriptVerifier();
  script.answer('deliverable', 'always');
  await work(script.verifier, { isPortClosed: () => isPortClosed });
  await db.updateTable('batches').set({ paused_at: null }).where('id', '=', batch.id).execute();
  const looked = await createBatch(1);
  for (const { status } of [batch, looked]) expect(await status()).toEqual([OPEN, 0]);
  expect(script.calls).toEqual([]);
  isPortClosed = false;
  await batch.until(COMPLETED, 2);
});

describe('an address that somebody has locked', () => {
  /** A worker whose busy statements are counted. Another claim that began earlier locks addresses like this. */
  async function start() {
    const batch = await createBatch(1);
    const locking = await db.startTransaction().execute();
    const lock = async () =>
      void (await sql`select from batch_rows where batch_id = ${batch.id} for update`.execute(locking));
    const busy = { count: 0 };
    const counted = connect().withPlugin(
      onRows(([first]) => {
        if (first?.outcome === 'busy') busy.count += 1;
      }),
    );
    const tried = () => vi.waitUntil(() => busy.count > 2, PATIENTLY);
    return { batch, lock, counted, tried, unlock: () => locking.rollback().execute() };
  }

  it('begins as soon as it is free, with the same claim', async () => {
    const { batch, lock, counted, tried, unlock } = await start();
    const script = scriptVerifier();
    script.answer('deliverable', 'always');
    // Between the claim and the beginning.
    await work(script.verifier, { db: counted, findOrganisation: lock });
    await tried();
    expect(script.calls).toEqual([]);
    await unlock();
    await batch.until(COMPLETED, 2);
    expect([script.calls.length, (await rowsOf(batch.id))[0]!.attempt]).toEqual([1, 1]);
  });

  it('keeps its result until it is free, and is not verified again', async () => {
    const { batch, lock, counted, tried, unlock } = await start();
    const script = scriptVerifier();
    await work(script.verifier, { db: counted });
    await script.called(1);
    await lock();
    script.answer('deliverable', 'always');
    await tried();
    await unlock();
    await batch.until(COMPLETED, 2);
    expect([script.calls.length, (await rowsOf(batch.id))[0]!.attempt]).toEqual([1, 1]);
  });
});

describe('stopping', () => {
  it('writes what is finished in time, and makes the rest ready for others', async () => {
    const batch = await createBatch(9, { domain: () => 'x.example' });
    const script = scriptVerifier();
    const worker = await work(script.verifier);
    await script.called(4);
    const stopped = worker.stop(3_000);
    script.answer();
    await stopped;
    expect(await batch.status()).toEqual([OPEN, 5]);
    expect(await claimedOf(batch.id)).toBe(0);
    expect(script.calls).toHaveLength(4);
  });

  it('does not wait for what takes too long', async () => {
    const batch = await createBatch(2);
    const script = scriptVerifier();
    const worker = await work(script.verifier);
    await script.called(2);
    await worker.stop(20);
    expect([await batch.status(), await claimedOf(batch.id)]).toEqual([[OPEN, 0], 0]);
    script.answer();
  });

  it('leaves no claim behind whose result is still being written', async () => {
    const batch = await createBatch(1);
    // The write waits in the database for this lock, and has locked its row.
    const gate = await db.startTransaction().execute();
    await sql`select pg_advisory_xact_lock(1)`.execute(gate);
    await sql
      .raw(`
        create function wait_at_gate() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(1); return new; end $$;
        create trigger gate before update on batch_rows
        for each row when (new.reason is not null) execute function wait_at_gate();
      `)
      .execute(db);
    onTestFinished(() => void sql.raw('drop function wait_at_gate cascade').execute(db));
    const worker = await work(answers('deliverable'));
    await vi.waitFor(async () => {
      const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db);
      expect(rows).toHaveLength(1);
    }, PATIENTLY);
    const stopped = worker.stop(0);
    // The release needs one round trip.
    for (let trip = 0; trip < 10; trip += 1) await sql`select`.execute(db);
    await gate.rollback().execute();
    await stopped;
    expect([await claimedOf(batch.id), (await rowsOf(batch.id))[0]!.reason]).toEqual([0, 'accepted_email']);
  });
});

it('writes results once the database is back', async () => {
  const batch = await createBatch(3);
  const own = connect(2, 'worker to be cut off');
  const script = scriptVerifier();
  const logged: string[] = [];
  await work(script.verifier, { db: own, log: (_level, event) => void logged.push(event) });
  await script.called(3);
  await sql`alter table batch_rows rename to batch_rows_away`.execute(db);
  script.answer();
  await vi.waitFor(() => expect(logged).toContain('result of a batch not written yet'));
  await sql`alter table batch_rows_away rename to batch_rows`.execute(db);
  await batch.until(COMPLETED, 4);
  expect(script.calls).toHaveLength(3);
});
