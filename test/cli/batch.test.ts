/** The commands of batches, within the test's process. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { tasksOf } from '../../src/service/app/housekeeping.ts';
import { claimCallbacks, endTry } from '../../src/service/batch/callbacks/callback-store.ts';
import { claimRows, finishRows } from '../../src/service/batch/live/claim-store.ts';
import { workOff } from '../../src/service/batch/samples.ts';
import { creditsOf } from '../service/support/account.ts';
import { createBatch, rowsOf } from '../service/support/batch.ts';
import { completeWithCallback, letPass } from '../service/support/callbacks.ts';
import { clearUp } from '../service/support/clear-up.ts';
import { emptyBeforeEach, testDatabase } from '../service/support/database.ts';
import { DEPS } from '../service/support/deps.ts';
import { addProcess } from '../service/support/process.ts';
import { resultOf } from '../service/support/result.ts';

import { adminOn, createFolder, type Printed } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);
const folder = createFolder();
emptyBeforeEach(db, 'batches', 'processes');

const UNKNOWN_ID = '0123456789abcdef01234567';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const emailOf = (accountId: string) => `${accountId}@example.com`;
const batch = <Value = Printed>(...parameters: string[]) => admin.done<Value>('batch', ...parameters);
const list = async (...flags: string[]) =>
  (await admin.listed('batch', 'list', ...flags)).map(({ id }) => id);

/** Claims addresses for a process, and gives the first ones a result. */
async function claim(id: string, most: number, states: readonly ('deliverable' | 'unknown')[] = []) {
  const processId = randomUUID();
  await addProcess(db, processId);
  const claimed = await claimRows(db, processId, [{ id, most }]);
  const finishes = states.map((state, index) => {
    const row = claimed[index]!;
    return { row, result: resultOf(row.address, state) };
  });
  await finishRows(db, processId, finishes);
  return processId;
}

/** A batch of a test key with its results. */
async function completed(count = 2) {
  const made = await createBatch(db, count, { mode: 'test' });
  await workOff({ ...DEPS, db });
  return made;
}

describe('batch list', () => {
  it('lists batches with their owners and progress, the newest first', async () => {
    const open = await createBatch(db, 3);
    await claim(open.id, 2, ['deliverable']);
    const done = await completed();
    expect(await admin.listed('batch', 'list')).toEqual([
      {
        ...{ id: done.id, owner_email: emailOf(done.accountId), mode: 'test', status: 'completed' },
        ...{ processed: 3, total: 3, created_at: TIME, completed_at: TIME, expires_at: TIME },
        ...{ paused_at: null, emptied_at: null },
      },
      {
        ...{ id: open.id, owner_email: emailOf(open.accountId), mode: 'live', status: 'verifying' },
        ...{ processed: 2, total: 4, created_at: TIME, completed_at: null, expires_at: null },
        ...{ paused_at: null, emptied_at: null },
      },
    ]);
  });

  it('leaves out other accounts, completed batches, and what is above the limit', async () => {
    const [first, second, done] = [await createBatch(db, 1), await createBatch(db, 1), await completed()];
    expect(await list()).toEqual([done.id, second.id, first.id]);
    expect(await list('--open')).toEqual([second.id, first.id]);
    expect(await list('--email', emailOf(first.accountId).toUpperCase())).toEqual([first.id]);
    expect(await list('--limit', '1')).toEqual([done.id]);
  });

  it.each([
    [['--email', 'nobody@example.com'], 'nobody@example.com'],
    [['--limit', '0'], '--limit'],
    [['--limit', '1001'], '--limit'],
  ])('refuses %j', async (flags, named) => {
    expect(await admin.refused('batch', 'list', ...flags)).toContain(named);
  });
});

describe('batch show', () => {
  const TRIED_AGAIN =
    /^1 address got a temporary result\. The first is tried again in \d minutes, the last in \d minutes\.$/;

  it('shows what the addresses of an open batch wait for', async () => {
    const { id } = await createBatch(db, 6);
    const dead = await claim(id, 1);
    await sql`delete from processes where id = ${dead}`.execute(db);
    const alive = await claim(id, 3, ['deliverable']);
    await sql`
      update batch_rows set process_id = null, due_at = clock_timestamp() + interval '300 seconds'
      where place = 3 and batch_id = ${id}
    `.execute(db);
    await sql`
      update batches set created_at = created_at - interval '3 days', url = 'https://x.example/hook',
        response_fields = '{email,state}'
      where id = ${id}
    `.execute(db);
    expect(await batch('show', '--id', id)).toMatchObject({
      ...{ id, status: 'verifying', processed: 1, total: 7 },
      ...{ distinct: 6, retries: true, callback: null, callbacks: [] },
      ...{ response_fields: ['email', 'state'], url: 'https://x.example/hook' },
      reason_counts: { accepted_email: 1, timeout: 0 },
      total_counts: { deliverable: 1, processed: 1, total: 7, duplicate: 0 },
      open: {
        ready: 2,
        claimed: expect.arrayContaining([
          { process: dead, alive: false, addresses: 1 },
          { process: alive, alive: true, addresses: 1 },
        ]),
        ...{ later: 1, first_retry_at: TIME, last_retry_at: TIME },
      },
      in_words: expect.arrayContaining([
        '2 addresses can be verified now.',
        `Process ${dead} is dead and has claimed 1 address. Another process takes them over within seconds.`,
        `Process ${alive} works on 1 address.`,
        expect.stringMatching(TRIED_AGAIN),
      ]),
    });
  });

  it('shows that a paused batch waits, and that all addresses are done', async () => {
    const { id } = await createBatch(db, 1);
    await batch('pause', '--id', id);
    const said = async () => (await batch<{ in_words: string[] }>('show', '--id', id)).in_words;
    const paused =
      /^The batch was paused \d+ seconds? ago\. No further address begins until it is resumed\.$/;
    expect(await said()).toEqual([expect.stringMatching(paused), '1 address can be verified then.']);
    await sql`
      update batch_rows set reason = 'timeout', result = '{}' where batch_id = ${id} and place = 0
    `.execute(db);
    const message = 'Every address has its result. The batch is completed when it is resumed.';
    expect((await said())[1]).toBe(message);
    await batch('resume', '--id', id);
    expect(await said()).toEqual(['Every address has its result. The batch is completed within seconds.']);
  });

  it('shows the counts of a completed batch', async () => {
    const { id } = await completed();
    const shown = await batch('show', '--id', id);
    expect(shown).toMatchObject({
      ...{ status: 'completed', processed: 3, total: 3 },
      total_counts: { processed: 3, total: 3, duplicate: 1 },
      in_words: [expect.stringMatching(/^The batch was completed \d+ seconds? ago\.$/)],
    });
    expect(JSON.stringify(shown)).not.toContain('u0@');
  });
});

describe('batch pause and batch resume', () => {
  it('change an open batch once', async () => {
    const { id, status } = await createBatch(db, 1);
    expect(await batch('pause', '--id', id)).toEqual({ id, status: 'paused', changed: true });
    expect(await batch('pause', '--id', id)).toEqual({ id, status: 'paused', changed: false });
    expect(await status()).toEqual(['Your batch is paused.', 0]);
    expect(await list('--open')).toEqual([id]);
    expect(await batch('resume', '--id', id)).toEqual({ id, status: 'verifying', changed: true });
    expect(await batch('resume', '--id', id)).toEqual({ id, status: 'verifying', changed: false });
  });

  it('refuse a completed batch', async () => {
    const { id } = await completed();
    for (const word of ['pause', 'resume']) {
      expect(await admin.refused('batch', word, '--id', id)).toContain('completed');
    }
  });
});

describe('batch delete', () => {
  it('deletes the batch, and gives back the credits of unverified and unknown addresses', async () => {
    const { id, accountId } = await createBatch(db, 5);
    await claim(id, 2, ['deliverable', 'unknown']);
    expect(await batch('delete', '--id', id, '--yes')).toEqual({ id, deleted: true, refunded_credits: 4 });
    expect([await creditsOf(db, accountId), await list()]).toEqual([4, []]);
    await clearUp(tasksOf({ ...DEPS, db }));
    expect(await rowsOf(db, id)).toEqual([]);
    expect(await admin.refused('batch', 'delete', '--id', id, '--yes')).toContain(id);
  });

  it('keeps the credits of unknown results if the config file says so', async () => {
    const { id } = await createBatch(db, 5);
    await claim(id, 2, ['deliverable', 'unknown']);
    const config = folder.write('config.json', JSON.stringify({ credits: { refundUnknown: false } }));
    const deleted = await batch('delete', '--id', id, '--yes', '--config', config);
    expect(deleted).toMatchObject({ refunded_credits: 3 });
  });

  it('requires a confirmation', async () => {
    const { id } = await createBatch(db, 1);
    expect(await admin.refused('batch', 'delete', '--id', id)).toContain('--yes');
    expect(await list()).toEqual([id]);
  });
});

describe('batch stop', () => {
  it('completes a batch with the results so far, and batch show and batch list say that it was stopped', async () => {
    const { id, accountId } = await createBatch(db, 5);
    await claim(id, 3, ['deliverable', 'unknown']);
    expect(await batch('stop', '--id', id)).toEqual({ id, status: 'stopped', refunded_credits: 4 });
    expect(await creditsOf(db, accountId)).toBe(4);
    expect(await batch('show', '--id', id)).toMatchObject({
      ...{ status: 'stopped', processed: 3, total: 6, completed_at: TIME, expires_at: TIME },
      total_counts: { deliverable: 1, unknown: 1, duplicate: 1, processed: 3, total: 6 },
      open: { ready: 0, claimed: [], later: 0 },
      in_words: [
        expect.stringMatching(/^The batch was stopped \d+ seconds? ago\. 3 addresses got no result\.$/),
      ],
    });
    expect(await admin.listed('batch', 'list')).toMatchObject([{ id, status: 'stopped', processed: 3 }]);
    expect(await list('--open')).toEqual([]);
  });

  it('keeps the credits of unknown results if the config file says so', async () => {
    const { id } = await createBatch(db, 5);
    await claim(id, 2, ['deliverable', 'unknown']);
    const config = folder.write('config.json', JSON.stringify({ credits: { refundUnknown: false } }));
    expect(await batch('stop', '--id', id, '--config', config)).toMatchObject({ refunded_credits: 3 });
  });

  it('refuses a completed batch', async () => {
    const { id } = await completed();
    expect(await admin.refused('batch', 'stop', '--id', id)).toContain('completed');
  });
});

it.each([['show'], ['pause'], ['resume'], ['stop'], ['delete', '--yes']])(
  'refuses batch %s with the id of no batch',
  async (word, ...flags) => {
    for (const id of [UNKNOWN_ID, 'x']) {
      expect(await admin.refused('batch', word, '--id', id, ...flags)).toContain(`"${id}"`);
    }
    expect(await admin.refused('batch', word, ...flags)).toContain('--id');
  },
);

describe('batch send-callback', () => {
  const SCHEDULE = { callbackRetry: 3_600, callbackGiveUp: 7_200 };
  const URL = 'https://receiver.example/hook';

  it('makes a failed callback due again, and batch show lists its tries', async () => {
    const { id } = await completeWithCallback(db, URL);
    const processId = randomUUID();
    const callback = async () => {
      const { callback, callbacks } = await batch<Record<string, unknown>>('show', '--id', id);
      return { callback, callbacks };
    };
    const waiting = { state: 'waiting', due_at: TIME };
    expect(await callback()).toEqual({ callback: waiting, callbacks: [] });
    await letPass(db, id, 7_000);
    const [claimed] = await claimCallbacks(db, processId, { most: 1, mostOfAccount: 1, mostOfReceiver: 1 });
    const answer = { status: 503, error: 'The receiver answered 503.', isCutOff: false, durationMs: 12 };
    await endTry(db, processId, claimed!, answer, SCHEDULE);
    const tried = { number: 1, at: TIME, status: 503, error: answer.error, duration_ms: 12 };
    expect(await callback()).toEqual({ callback: { state: 'given up', due_at: null }, callbacks: [tried] });
    expect(await batch('send-callback', '--id', id)).toEqual({ id, state: 'waiting' });
    expect(await callback()).toEqual({ callback: waiting, callbacks: [tried] });
    await claimCallbacks(db, processId, { most: 1, mostOfAccount: 1, mostOfReceiver: 1 });
    expect(await batch('send-callback', '--id', id)).toEqual({ id, state: 'being sent' });
  });

  it('refuses a batch without a callback, and one whose results are gone', async () => {
    const { id } = await completed();
    const old = await completeWithCallback(db, URL);
    await sql`update batches set expires_at = clock_timestamp() where id = ${old.id}`.execute(db);
    expect(await admin.refused('batch', 'send-callback', '--id', id)).toContain('with a url');
    expect(await admin.refused('batch', 'send-callback', '--id', old.id)).toContain('still has its results');
  });
});
