import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { completeBatch } from '../../../../src/service/batch/batch-store.ts';
import {
  type ClaimedCallback,
  claimCallbacks,
  claimSuspectCallback,
  endTry,
  giveUpLate,
  readCallback,
  releaseCallbacks,
  sendAgain,
  takeOverCallbacks,
} from '../../../../src/service/batch/callbacks/callback-store.ts';
import { removeProcess } from '../../../../src/service/jobs/process-store.ts';
import { makeAccount } from '../../support/account.ts';
import { completeWithCallback, letPass } from '../../support/callbacks.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { addProcess, silence } from '../../support/process.ts';

const { db } = await testDatabase();
emptyBeforeEach(db, 'batches');

const URL = 'https://shop.example/';
const SCHEDULE = { callbackRetry: 3_600, callbackGiveUp: 7_300 };
const CAPACITY = { most: 100, mostOfAccount: 6, mostOfReceiver: 4 };
const FAILED = { status: 503, error: 'The receiver answered 503.', isCutOff: false, durationMs: 7 };
const DELIVERED = { status: 200, error: null, isCutOff: false, durationMs: 7 };
const CUT_OFF = { status: null, error: 'Stopped.', isCutOff: true, durationMs: 7 };

async function startProcess(): Promise<string> {
  const processId = randomUUID();
  await addProcess(db, processId);
  return processId;
}

/** Claims one callback and ends its try. */
async function tryOnce(ended: Parameters<typeof endTry>[3]) {
  const processId = await startProcess();
  const [claimed] = await claimCallbacks(db, processId, CAPACITY);
  return claimed && endTry(db, processId, claimed, ended, SCHEDULE);
}

/** Seconds from the beginning of the latest try to the next one. */
async function pauseOf(id: string): Promise<number | null> {
  const { rows } = await sql<{ pause: number | null }>`
    select extract(epoch from due_at - tried_at)::float8 as pause from callbacks where batch_id = ${id}
  `.execute(db);
  return rows[0]!.pause;
}

it('makes one callback for a batch with a url, with its completion', async () => {
  const batch = await completeWithCallback(db, URL);
  expect(await completeBatch(db, batch.id, DEPS.settings.durations)).toBe(false);
  expect(await batch.read()).toEqual({ state: 'waiting', url: URL, due_at: expect.any(Date), tries: [] });
});

it('leaves no completed batch without its callback when the transaction fails', async () => {
  const batch = await completeWithCallback(db, URL);
  await db.deleteFrom('callbacks').execute();
  await sql`
    update batches set completed_at = null, expires_at = null, reason_counts = null where id = ${batch.id}
  `.execute(db);
  await sql`alter table callbacks rename to callbacks_away`.execute(db);
  await expect(completeBatch(db, batch.id, DEPS.settings.durations)).rejects.toThrow('callbacks');
  await sql`alter table callbacks_away rename to callbacks`.execute(db);
  expect(await completeBatch(db, batch.id, DEPS.settings.durations)).toBe(true);
  expect(await batch.read()).toMatchObject({ state: 'waiting' });
});

describe('claiming', () => {
  it('gives each callback to one process only', async () => {
    for (let count = 0; count < 20; count += 1) await completeWithCallback(db, URL);
    const processes = await Promise.all([1, 2, 3, 4].map(startProcess));
    const claimed: ClaimedCallback[] = [];
    while (claimed.length < 20) {
      const claims = processes.map((id) => claimCallbacks(db, id, { ...CAPACITY, most: 3 }));
      claimed.push(...(await Promise.all(claims)).flat());
    }
    expect(new Set(claimed.map(({ batch_id }) => batch_id)).size).toBe(20);
    expect(claimed.every(({ attempt }) => attempt === 1)).toBe(true);
  });

  it('takes the accounts in turn, and at most four callbacks of each to one receiver at once', async () => {
    const [large, small] = [await makeAccount(db), await makeAccount(db)];
    for (let count = 0; count < 9; count += 1) await completeWithCallback(db, URL, { accountId: large });
    await completeWithCallback(db, URL, { accountId: small });
    const processId = await startProcess();
    const first = await claimCallbacks(db, processId, { ...CAPACITY, most: 2 });
    expect(first.map(({ account_id }) => account_id).sort()).toEqual([large, small].sort());
    expect(await claimCallbacks(db, processId, CAPACITY)).toHaveLength(3);
    expect(await claimCallbacks(db, processId, CAPACITY)).toEqual([]);
    await endTry(db, processId, first.find(({ account_id }) => account_id === large)!, DELIVERED, SCHEDULE);
    expect(await claimCallbacks(db, processId, CAPACITY)).toHaveLength(1);
    expect(await claimCallbacks(db, await startProcess(), CAPACITY)).toHaveLength(4);
  });

  it('takes the receivers of an account in turn, and at most six callbacks of it at once', async () => {
    const accountId = await makeAccount(db);
    for (let count = 0; count < 9; count += 1) await completeWithCallback(db, `${URL}silent`, { accountId });
    for (const path of ['a', 'b', 'c']) await completeWithCallback(db, `${URL}${path}`, { accountId });
    const processId = await startProcess();
    const pathsOf = async (most: number) => {
      const claimed = await claimCallbacks(db, processId, { ...CAPACITY, most });
      return claimed.map(({ url }) => url.slice(URL.length)).sort();
    };
    expect(await pathsOf(4)).toEqual(['a', 'b', 'c', 'silent']);
    expect(await pathsOf(100)).toEqual(['silent', 'silent']);
    expect(await pathsOf(100)).toEqual([]);
  });

  it('leaves those that are not due', async () => {
    const batch = await completeWithCallback(db, URL);
    await tryOnce(FAILED);
    expect(await claimCallbacks(db, await startProcess(), CAPACITY)).toEqual([]);
    await letPass(db, batch.id, 3_601);
    expect(await claimCallbacks(db, await startProcess(), CAPACITY)).toMatchObject([{ attempt: 2 }]);
  });

  it('claims nothing alone that no process died over', async () => {
    await completeWithCallback(db, URL);
    const processId = await startProcess();
    expect(await claimSuspectCallback(db, processId)).toBeUndefined();
    expect(await claimCallbacks(db, processId, CAPACITY)).toHaveLength(1);
  });
});

describe('a try that has ended', () => {
  it('is the last one with a 200', async () => {
    const batch = await completeWithCallback(db, URL);
    expect(await tryOnce(DELIVERED)).toBe('delivered');
    expect(await batch.read()).toEqual({
      ...{ state: 'delivered', url: URL, due_at: null },
      tries: [{ number: 1, at: expect.any(Date), status: 200, error: null, duration_ms: 7 }],
    });
  });

  it('is followed by others until the callback is given up', async () => {
    const batch = await completeWithCallback(db, URL);
    expect(await tryOnce(FAILED)).toBe('waiting');
    expect(await pauseOf(batch.id)).toBe(3_600);
    await letPass(db, batch.id, 3_600);
    expect(await tryOnce(FAILED)).toBe('waiting');
    await letPass(db, batch.id, 3_600);
    expect(await tryOnce(FAILED)).toBe('given up');
    const { state, due_at, tries } = await batch.read();
    expect([state, due_at, tries.map(({ number }) => number)]).toEqual(['given up', null, [1, 2, 3]]);
    expect(tries.map(({ error }) => error)).toEqual(Array(3).fill('The receiver answered 503.'));
  });

  it('is followed at once by another one if the service cut it off, also when its time is over', async () => {
    const batch = await completeWithCallback(db, URL);
    await letPass(db, batch.id, 9_000);
    expect(await tryOnce(CUT_OFF)).toBe('waiting');
    expect(await giveUpLate(db, SCHEDULE)).toEqual([]);
    expect(await tryOnce(FAILED)).toBe('given up');
    expect((await batch.read()).tries).toMatchObject([{ error: 'Stopped.' }, { status: 503 }]);
  });

  it('changes nothing if another process has taken the callback over', async () => {
    const batch = await completeWithCallback(db, URL);
    const dead = await startProcess();
    const [claimed] = await claimCallbacks(db, dead, CAPACITY);
    await removeProcess(db, dead);
    await takeOverCallbacks(db);
    expect(await endTry(db, dead, claimed!, DELIVERED, SCHEDULE)).toBeUndefined();
    const error = 'The service ended before the receiver answered.';
    const cutOff = { number: 1, status: null, error, duration_ms: null };
    expect(await batch.read()).toMatchObject({ state: 'waiting', tries: [cutOff] });
  });

  it('changes nothing if the batch was deleted', async () => {
    const batch = await completeWithCallback(db, URL);
    const processId = await startProcess();
    const [claimed] = await claimCallbacks(db, processId, CAPACITY);
    await db.deleteFrom('batches').where('id', '=', batch.id).execute();
    expect(await endTry(db, processId, claimed!, FAILED, SCHEDULE)).toBeUndefined();
    expect(await batch.read()).toBeUndefined();
  });
});

describe('what processes leave', () => {
  it('is taken over when they are dead, and only then', async () => {
    const batch = await completeWithCallback(db, URL);
    const dead = await startProcess();
    await claimCallbacks(db, dead, CAPACITY);
    await takeOverCallbacks(db);
    expect((await batch.read()).state).toBe('being sent');
    await silence(db, dead);
    await Promise.all([takeOverCallbacks(db), takeOverCallbacks(db)]);
    expect(await batch.read()).toMatchObject({ state: 'waiting', tries: [{ number: 1 }] });
  });

  it('is due one after the other, and later after each death', async () => {
    const batches = [];
    for (let count = 0; count < 4; count += 1) batches.push(await completeWithCallback(db, URL));
    const dead = await startProcess();
    expect(await claimCallbacks(db, dead, CAPACITY)).toHaveLength(4);
    await removeProcess(db, dead);
    await takeOverCallbacks(db);
    const { rows } = await sql<{ pause: number }>`
      select round(extract(epoch from due_at - min(due_at) over ()) * 10)::integer as pause
      from callbacks order by due_at
    `.execute(db);
    expect(rows.map(({ pause }) => pause)).toEqual([0, 2, 4, 6]);
    expect(await claimSuspectCallback(db, await startProcess())).toBeUndefined();
  });

  it.each([
    ['one second after the first death', 0, 1],
    ['two seconds after the second death', 1, 2],
  ])('is due %s', async (_, deaths, pause) => {
    for (let count = 0; count < 4; count += 1) await completeWithCallback(db, URL);
    const dead = await startProcess();
    await claimCallbacks(db, dead, CAPACITY);
    await sql`update callbacks set deaths = ${deaths}`.execute(db);
    await removeProcess(db, dead);
    const before = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
    await takeOverCallbacks(db);
    // The last one is due 0.6 seconds after the first one.
    const { rows } = await sql`
      select from callbacks
      where due_at >= ${before.rows[0]!.now}::timestamptz + make_interval(secs => ${pause})
        and due_at <= clock_timestamp() + make_interval(secs => ${pause + 0.6})
    `.execute(db);
    expect(rows).toHaveLength(4);
  });

  it('is claimed alone, and given up after three deaths until its owner sends it again', async () => {
    const batch = await completeWithCallback(db, URL);
    for (const count of [1, 2, 3]) {
      const processId = await startProcess();
      await sql`update callbacks set due_at = clock_timestamp()`.execute(db);
      const claimed =
        count === 1
          ? (await claimCallbacks(db, processId, CAPACITY))[0]
          : await claimSuspectCallback(db, processId);
      expect(claimed).toMatchObject({ batch_id: batch.id, attempt: count, url: URL });
      await removeProcess(db, processId);
      expect(await takeOverCallbacks(db)).toEqual(count === 3 ? [batch.id] : []);
      // Those over which a process died are left out of claims of many.
      if (count < 3) await sql`update callbacks set due_at = clock_timestamp()`.execute(db);
      expect(await claimCallbacks(db, await startProcess(), CAPACITY)).toEqual([]);
    }
    expect(await batch.read()).toMatchObject({ state: 'given up', tries: [{}, {}, {}] });
    expect(await sendAgain(db, batch.id)).toBe('due');
    expect(await claimCallbacks(db, await startProcess(), CAPACITY)).toHaveLength(1);
  });

  it('is due again without a try if it was never sent', async () => {
    const [sending, lost] = [await completeWithCallback(db, URL), await completeWithCallback(db, URL)];
    const processId = await startProcess();
    const claimed = await claimCallbacks(db, processId, CAPACITY);
    const sent = claimed.filter(({ batch_id }) => batch_id === sending.id);
    await releaseCallbacks(db, processId, sent);
    expect([await sending.read(), await lost.read()]).toMatchObject([
      { state: 'being sent' },
      { state: 'waiting', tries: [] },
    ]);
  });

  it('is given up if it is a retry whose time has passed', async () => {
    const account = { accountId: await makeAccount(db) };
    const retry = await completeWithCallback(db, URL, account);
    const first = await completeWithCallback(db, URL, account);
    const processId = await startProcess();
    const claimed = await claimCallbacks(db, processId, { ...CAPACITY, most: 1 });
    expect(claimed).toMatchObject([{ batch_id: retry.id }]);
    await endTry(db, processId, claimed[0]!, FAILED, SCHEDULE);
    for (const { id } of [retry, first]) await letPass(db, id, 7_300);
    expect(await giveUpLate(db, SCHEDULE)).toEqual([]);
    for (const { id } of [retry, first]) await letPass(db, id, 6);
    expect(await giveUpLate(db, SCHEDULE)).toEqual([retry.id]);
    expect([(await retry.read()).state, (await first.read()).state]).toEqual(['given up', 'waiting']);
  });

  it('is sent however late, even if it was a retry', async () => {
    const batch = await completeWithCallback(db, URL);
    await tryOnce(FAILED);
    await letPass(db, batch.id, 3_600);
    const dead = await startProcess();
    expect(await claimCallbacks(db, dead, CAPACITY)).toHaveLength(1);
    await removeProcess(db, dead);
    await takeOverCallbacks(db);
    await letPass(db, batch.id, 9_000);
    expect(await giveUpLate(db, SCHEDULE)).toEqual([]);
    expect(await claimSuspectCallback(db, await startProcess())).toMatchObject({ attempt: 3 });
  });
});

describe('sending again', () => {
  it.each([
    ['delivered', DELIVERED],
    ['given up', FAILED],
  ])('makes a callback due that was %s, with the same webhook-id', async (state, ended) => {
    const batch = await completeWithCallback(db, URL);
    await letPass(db, batch.id, 9_000);
    expect(await tryOnce(ended)).toBe(state);
    const before = await db.selectFrom('callbacks').select('message_id').execute();
    expect(await sendAgain(db, batch.id)).toBe('due');
    expect(await giveUpLate(db, SCHEDULE)).toEqual([]);
    const [claimed] = await claimCallbacks(db, await startProcess(), CAPACITY);
    expect(claimed).toMatchObject({ batch_id: batch.id, attempt: 2, ...before[0] });
  });

  it('tells why it cannot', async () => {
    const batch = await completeWithCallback(db, URL);
    await claimCallbacks(db, await startProcess(), CAPACITY);
    expect(await sendAgain(db, batch.id)).toBe('being sent');
    await sql`update batches set expires_at = clock_timestamp()`.execute(db);
    expect(await sendAgain(db, batch.id)).toBe('expired');
    expect(await sendAgain(db, '0123456789abcdef01234567')).toBe('no callback');
  });
});

it('shows the callback to its account only, with its latest 100 tries', async () => {
  const batch = await completeWithCallback(db, URL);
  const { accountId, id } = batch;
  const tries = Array.from({ length: 120 }, (_, index) => index + 1);
  await db
    .insertInto('callback_tries')
    .values(tries.map((number) => ({ batch_id: id, number, at: new Date(), status: 500, error: 'x' })))
    .execute();
  expect((await batch.read()).tries.map(({ number }) => number)).toEqual(tries.slice(20));
  expect(await readCallback(db, await makeAccount(db), id)).toBeUndefined();
  expect(await readCallback(db, accountId, '0123456789abcdef01234567')).toBeUndefined();
});
