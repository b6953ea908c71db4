/** What all processes have in common, and what a scrape returns when the database does not. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { claimRows, finishRows } from '../../../../src/service/batch/live/claim-store.ts';
import { pauseBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import {
  createSharedMetrics,
  type SharedOptions,
} from '../../../../src/service/operations/metrics/shared-metrics.ts';
import { makeAccount } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { completeWithCallback } from '../../support/callbacks.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { addProcess } from '../../support/process.ts';
import { figureOf, parseText } from './scrape.ts';

const { db, name } = await testDatabase();
emptyBeforeEach(db, 'batches', 'processes');

/** @param options figures are kept for no time, unless the test says so */
function start(options: SharedOptions = {}) {
  const registry = new Registry();
  const figures = createSharedMetrics(registry, { keepMs: 0, patienceMs: PATIENTLY.timeout, ...options });
  let isReady = true;
  return {
    setReady: (now: boolean) => {
      isReady = now;
    },
    read: async () => {
      await figures.refresh({ db, isReady: () => isReady });
      return parseText(await registry.metrics());
    },
  };
}
const FAILURES = 'evw_shared_figures_failures_total';

it('counts the addresses of each mode and state', async () => {
  const me = randomUUID();
  await addProcess(db, me);
  const live = await createBatch(db, 30);
  const [later, ...claimed] = await claimRows(db, me, [{ id: live.id, most: 12 }]);
  await finishRows(db, me, [{ row: later!, againInS: 600 }]);
  const paused = await createBatch(db, 5);
  const [ofPaused] = await claimRows(db, me, [{ id: paused.id, most: 1 }]);
  await pauseBatch(db, { id: paused.id });
  await createBatch(db, 4, { mode: 'test' });
  const samples = await start().read();
  const queue = (mode: string) =>
    ['ready', 'claimed', 'later', 'paused'].map((state) =>
      figureOf(samples, 'evw_queue_addresses', { mode, state }),
    );
  expect(ofPaused).toBeDefined();
  expect(queue('live')).toEqual([18, claimed.length + 1, 1, 4]);
  expect(queue('test')).toEqual([4, 0, 0, 0]);
  expect(figureOf(samples, 'evw_processes', { state: 'alive' })).toBe(1);
});

it('reports how long a batch has waited to begin', async () => {
  const age = (id: string, seconds: number) =>
    sql`
      update batches set created_at = clock_timestamp() - make_interval(secs => ${seconds}) where id = ${id}
    `.execute(db);
  const figures = start();
  const wait = async (mode: string) => figureOf(await figures.read(), 'evw_queue_wait_seconds', { mode });
  expect([await wait('live'), await wait('test')]).toEqual([0, 0]);
  const begun = await createBatch(db, 3);
  await age(begun.id, 5_000);
  await claimRows(db, randomUUID(), [{ id: begun.id, most: 1 }]);
  const paused = await createBatch(db, 3);
  await age(paused.id, 4_000);
  await pauseBatch(db, { id: paused.id });
  expect(await wait('live')).toBe(0);
  const waiting = await createBatch(db, 3);
  await age(waiting.id, 300);
  expect(await wait('live')).toBeGreaterThanOrEqual(300);
  expect(await wait('live')).toBeLessThan(400);
  await age((await createBatch(db, 3, { mode: 'test' })).id, 60);
  expect(await wait('test')).toBeGreaterThanOrEqual(60);
});

it('counts callbacks by state, and tells how long one has waited', async () => {
  for (const seconds of [-90, 600]) {
    const { id } = await completeWithCallback(db, 'http://127.0.0.1:9/');
    await sql`
      update callbacks set due_at = clock_timestamp() + make_interval(secs => ${seconds}),
        tried_at = clock_timestamp(), attempt = 1
      where batch_id = ${id}
    `.execute(db);
  }
  const samples = await start().read();
  const count = (state: string) => figureOf(samples, 'evw_callbacks', { state });
  expect(['due', 'retry', 'being_sent', 'given_up'].map(count)).toEqual([1, 1, 0, 0]);
  expect(figureOf(samples, 'evw_callback_wait_seconds', { state: 'due' })).toBeGreaterThanOrEqual(90);
});

it('counts open payments, and tells how long the oldest has waited', async () => {
  const figures = start();
  const read = async (name: string) => figureOf(await figures.read(), name, { state: 'open' });
  expect([await read('evw_payments'), await read('evw_payment_wait_seconds')]).toEqual([0, 0]);
  for (const [id, seconds, outcome] of [
    ['1', 90],
    ['2', 30],
    ['3', 900, 'refused'],
  ] as const)
    await sql`
      insert into payments (id, account, needed, asked_at, outcome, ended_at)
      values (
        ${id}, ${await makeAccount(db)}, 1, clock_timestamp() - make_interval(secs => ${seconds}),
        ${outcome ?? null}, ${outcome ? new Date() : null}
      )
    `.execute(db);
  expect(await read('evw_payments')).toBe(2);
  expect(await read('evw_payment_wait_seconds')).toBeGreaterThanOrEqual(90);
});

it('leaves the figures out while the database is away, and has them again at once', async () => {
  const figures = start({ keepMs: 60_000 });
  await createBatch(db, 3);
  const names = async () => new Set((await figures.read()).map(({ name }) => name));
  expect(await names()).toContain('evw_queue_addresses');
  figures.setReady(false);
  expect(await names()).toEqual(new Set([FAILURES]));
  expect(figureOf(await figures.read(), FAILURES)).toBe(2);
  figures.setReady(true);
  expect(await names()).toContain('evw_queue_addresses');
});

it('keeps figures for a while', async () => {
  const figures = start({ keepMs: 60_000 });
  const ready = async () =>
    figureOf(await figures.read(), 'evw_queue_addresses', { mode: 'live', state: 'ready' });
  expect(await ready()).toBe(0);
  await createBatch(db, 3);
  expect(await ready()).toBe(0);
});

it('does not hold up a scrape for a database that does not answer, and asks it once at a time', async () => {
  const figures = start({ patienceMs: 150 });
  await createBatch(db, 3);
  await db.transaction().execute(async (transaction) => {
    await sql`lock table batches in access exclusive mode`.execute(transaction);
    for (let scrapes = 0; scrapes < 4; scrapes += 1) await figures.read();
    const samples = await figures.read();
    expect(figureOf(samples, FAILURES)).toBeGreaterThanOrEqual(4);
    expect(figureOf(samples, 'evw_queue_addresses', { mode: 'live' })).toBeUndefined();
    const { rows } = await sql<{ asking: number }>`
      select count(*) as asking from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'
    `.execute(transaction);
    expect(rows[0]!.asking).toBeLessThanOrEqual(1);
  });
  const ready = { mode: 'live', state: 'ready' };
  await expect.poll(async () => figureOf(await figures.read(), 'evw_queue_addresses', ready)).toBe(3);
});
