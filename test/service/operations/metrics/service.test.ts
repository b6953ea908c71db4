/** The parts of one process and its figures together. */
import { expect, it } from 'vitest';
import type { Verifier } from '../../../../src/engine/verifier.ts';
import { createMetrics } from '../../../../src/service/operations/metrics/metrics.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { makeTold } from '../../support/low.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { startReceiver, status } from '../../support/receiver.ts';
import { resultOf } from '../../support/result.ts';
import { runService } from '../../support/running-service.ts';
import { storeKey } from '../../support/stored-service.ts';
import { figureOf, parseText } from './scrape.ts';

const database = await testDatabase();
const { db } = database;

/** `u1` is unknown, `u2` takes longer than the request waits, all others are deliverable. */
const verifier: Verifier = async ({ address, inBackground }) => {
  const state = address.startsWith('u1@') ? 'unknown' : 'deliverable';
  const verified = { result: resultOf(address, state), evidence: [] };
  const isLate = address.startsWith('u2@') && !inBackground;
  return isLate ? { result: undefined, later: Promise.resolve(verified) } : verified;
};

async function start(role: 'all' | 'web') {
  const metrics = createMetrics({ role, version: '1', keepMs: 0, patienceMs: PATIENTLY.timeout });
  const service = runService(database.url, {
    ...{ role, metrics, verifier, callbacks: { allowPrivateAddresses: true } },
  });
  await service.opened.ready;
  const { key } = await storeKey(db, await makeAccount(db, 100), { mode: 'live' });
  const headers = { authorization: `Bearer ${key}` };
  const read = async () => parseText(await metrics.read());
  return {
    ...{ service, headers, read },
    figure: async (name: string, labels?: Record<string, string>) => figureOf(await read(), name, labels),
    createBatch: (count: number, more: object = {}) => {
      const emails = Array.from({ length: count }, (_, place) => `u${place}@shop.example`);
      const payload = { emails, retries: false, ...more };
      return service.ask({ method: 'POST', url: '/v1/batch', headers, payload });
    },
  };
}

it('count what became of verifications, batches, callbacks, notices and credits', async () => {
  const { service, headers, figure, createBatch } = await start('all');
  for (const email of ['jo@shop.example', 'u1@shop.example', 'u2@shop.example'])
    await service.ask({ url: `/v1/verify?email=${email}&timeout=10`, headers });
  const verified = (labels: Record<string, string>) => figure('evw_verifications_total', labels);
  await expect.poll(() => verified({ mode: 'live', source: 'request', state: 'deliverable' })).toBe(2);
  expect(await verified({ mode: 'live', source: 'request', state: 'unknown' })).toBe(1);
  expect(await figure('evw_credits_taken_total', { why: 'verification' })).toBe(3);
  expect(await figure('evw_credits_given_back_total', { why: 'refund' })).toBe(1);

  const receiver = await startReceiver(status(500));
  await createBatch(5, { url: receiver.url });
  await expect.poll(() => figure('evw_callback_tries_total', { outcome: 'waiting' })).toBe(1);
  // The service looks at this account again while it sends the notice, so its credits have to be low.
  await makeTold(db, receiver.url);
  await expect.poll(() => figure('evw_notice_tries_total', { outcome: 'waiting' })).toBe(1);
  expect(await verified({ mode: 'live', source: 'batch', state: 'deliverable' })).toBe(4);
  expect(await figure('evw_credits_taken_total', { why: 'batch' })).toBe(5);
  expect(await figure('evw_credits_given_back_total', { why: 'batch-refund' })).toBe(1);
  expect(await figure('evw_callbacks', { state: 'retry' })).toBe(1);
  expect(await figure('evw_batch_addresses_at_work')).toBe(0);
  expect(await figure('evw_database_pool_connections_max')).toBe(10);
  // A verifier of the test knows nothing of port 25.
  expect(await figure('evw_port_25_open')).toBeUndefined();
  expect(await figure('evw_ready')).toBe(1);
  await service.stop();
  expect(await figure('evw_ready')).toBe(0);
});

it('leave the work to others as web', async () => {
  const { service, headers, figure, createBatch } = await start('web');
  expect((await service.ask({ url: '/v1/verify?email=jo@shop.example', headers })).statusCode).toBe(200);
  expect((await createBatch(7)).statusCode).toBe(200);
  const succeeded = { name: 'housekeeping', outcome: 'succeeded' };
  await expect.poll(() => figure('evw_job_runs_total', succeeded)).toBeGreaterThan(0);
  expect(await figure('evw_queue_addresses', { mode: 'live', state: 'ready' })).toBe(7);
  expect(await figure('evw_queue_wait_seconds', { mode: 'live' })).toBeGreaterThan(0);
  expect(await figure('evw_batch_addresses_at_work')).toBeUndefined();
  for (const name of ['samples', 'batches', 'callbacks'])
    expect(await figure('evw_job_runs_total', { name })).toBeUndefined();
  expect((await service.ask({ url: '/readyz' })).statusCode).toBe(200);
});
