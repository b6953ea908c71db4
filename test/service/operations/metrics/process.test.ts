/** Metrics of each role, and of real processes. */
import { expect, it, vi } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { bringBack, takeAway } from '../../support/outage.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { serve } from '../../support/service-process.ts';
import { figureOf, metricsUrlOf, type Sample, scrape } from './scrape.ts';
import { runScript } from './scripted-run.ts';

const database = await testDatabase();

/** The tries of callbacks that were counted. */
const triesOf = (samples: readonly Sample[]) =>
  ['delivered', 'waiting']
    .map((outcome) => figureOf(samples, 'evw_callback_tries_total', { outcome }) ?? 0)
    .reduce((sum, count) => sum + count);

it('tell what each role has done, and nothing of accounts, keys, addresses and domains', async () => {
  const { all, web, worker } = await runScript(database);
  // The outcome of a try is counted once the database has it.
  await expect
    .poll(async () => {
      const read = await Promise.all([all.figures(), worker.figures()]);
      return read.reduce((sum, { samples }) => sum + triesOf(samples), 0);
    }, PATIENTLY)
    .toBe(2);
  const [ofAll, ofWeb, ofWorker] = [await all.figures(), await web.figures(), await worker.figures()];
  const { samples } = ofAll;
  expect(figureOf(samples, 'evw_process_info', { role: 'all' })).toBe(1);
  const requests = { method: 'GET', route: '/v1/verify', status: '200' };
  expect(figureOf(samples, 'evw_http_request_duration_seconds_count', requests)).toBe(5);
  expect(figureOf(samples, 'evw_http_request_duration_seconds_count', { route: 'none' })).toBe(1);
  const verified = (labels: Record<string, string>) => figureOf(samples, 'evw_verifications_total', labels);
  expect(verified({ mode: 'live', source: 'request', reason: 'rejected_email' })).toBe(1);
  expect(verified({ mode: 'test', source: 'request', state: 'risky' })).toBe(1);
  const conversations = { provider: 'other', outcome: 'no_such_mailbox' };
  expect(figureOf(samples, 'evw_smtp_conversations_total', conversations)).toBe(1);
  expect(figureOf(samples, 'evw_credits_taken_total', { why: 'batch' })).toBe(42);
  expect(figureOf(samples, 'evw_list_entries', { list: 'disposable', origin: 'own' })).toBe(1);
  expect(figureOf(samples, 'evw_list_entries', { list: 'free', origin: 'packaged' })).toBeGreaterThan(1000);
  const ageOf = (list: string, origin: string) => figureOf(samples, 'evw_list_age_seconds', { list, origin });
  expect(ageOf('disposable', 'own')).toBeGreaterThanOrEqual(0);
  expect(ageOf('free', 'own')).toBeUndefined();
  expect(ageOf('free', 'packaged')).toBeGreaterThan(86_400);
  expect(ageOf('block', 'packaged')).toBeUndefined();
  expect(figureOf(samples, 'evw_credits_given_back_total', { why: 'refund' })).toBe(1);

  // Either of the two may have worked on the batches.
  const both = (name: string, labels: Record<string, string>) =>
    [ofAll, ofWorker].reduce((sum, each) => sum + (figureOf(each.samples, name, labels) ?? 0), 0);
  expect(both('evw_verifications_total', { source: 'batch', reason: 'accepted_email' })).toBe(40);
  expect(both('evw_credits_given_back_total', { why: 'batch-refund' })).toBe(2);
  expect(both('evw_callback_tries_total', { outcome: 'delivered' })).toBe(1);
  expect(both('evw_callback_tries_total', { outcome: 'waiting' })).toBe(1);

  expect(figureOf(ofWeb.samples, 'evw_process_info', { role: 'web' })).toBe(1);
  expect(figureOf(ofWeb.samples, 'evw_verifications_total', { source: 'batch' })).toBeUndefined();
  expect(figureOf(ofWeb.samples, 'evw_batch_addresses_at_work')).toBeUndefined();
  for (const each of [ofAll, ofWeb, ofWorker]) {
    expect(figureOf(each.samples, 'evw_ready')).toBe(1);
    expect(figureOf(each.samples, 'evw_processes', { state: 'alive' })).toBe(3);
    expect(figureOf(each.samples, 'evw_job_runs_total', { name: 'heartbeat', outcome: 'failed' })).toBe(0);
    expect(figureOf(each.samples, 'evw_database_pool_connections_max')).toBe(10);
    expect(each.text).not.toMatch(/@|good\.test|busy\.test|test_config|acc_|live_private|risky@|127\.0\.0/);
  }
});

it('say that the database is away, before it is there and when it goes', async () => {
  await takeAway(database);
  const service = await serve({ keys: [], database: database.url, metrics: { port: 0 } });
  const { child, address, exit } = service;
  const url = await metricsUrlOf(service);
  const ready = async () => figureOf((await scrape(url)).samples, 'evw_ready');
  expect(await ready()).toBe(0);
  await bringBack(database);
  await vi.waitUntil(async () => (await ready()) === 1, { ...PATIENTLY, interval: 50 });
  await takeAway(database);
  await vi.waitUntil(async () => (await ready()) === 0, { ...PATIENTLY, interval: 50 });
  const { samples } = await scrape(url);
  expect(figureOf(samples, 'evw_database_up')).toBe(0);
  expect(figureOf(samples, 'evw_database_query_errors_total', { kind: 'away' })).toBeGreaterThanOrEqual(0);
  expect(figureOf(samples, 'evw_queue_addresses')).toBeUndefined();
  await fetch(`${address}/v1/account`);
  const after = (await scrape(url)).samples;
  expect(after.some(({ name, labels }) => name.startsWith('evw_http') && labels.status === '503')).toBe(true);
  await bringBack(database);
  await vi.waitUntil(async () => (await ready()) === 1, { ...PATIENTLY, interval: 50 });
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

it('count the requests and sample results of a service without a database', async () => {
  const keys = [{ key: 'test_private', kind: 'private' }];
  const service = await serve({ keys, metrics: { port: 0, host: '127.0.0.1' } });
  await fetch(`${service.address}/v1/verify?api_key=test_private&email=deliverable@example.com`);
  const { samples } = await scrape(await metricsUrlOf(service));
  expect(figureOf(samples, 'evw_verifications_total', { mode: 'test', state: 'deliverable' })).toBe(1);
  expect(figureOf(samples, 'evw_ready')).toBe(1);
  expect(figureOf(samples, 'evw_database_up')).toBeUndefined();
});
