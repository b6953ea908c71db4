/** Callbacks of a service as a process has it. */
import { describe, expect, it } from 'vitest';
import { addressesAt } from '../../support/batch.ts';
import { completeWithCallback } from '../../support/callbacks.ts';
import { testDatabase } from '../../support/database.ts';
import { bringBack, takeAway } from '../../support/outage.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { silence, startReceiver } from '../../support/receiver.ts';
import { runService } from '../../support/running-service.ts';
import { createScript, makeCustomer } from '../../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;
const TO_ALL = { callbacks: { allowPrivateAddresses: true } };

describe('a callback comes soon, and is what GET returns', () => {
  it.each([
    ['a small batch of a test key', 'test', 3],
    ['a large batch of a test key', 'test', 1_200],
    ['a batch of a live key', 'live', 3],
  ] as const)('for %s', async (_, mode, size) => {
    const { verifier } = createScript({ reason: 'accepted_email' });
    const service = runService(database.url, { ...TO_ALL, verifier });
    await service.opened.ready;
    const receiver = await startReceiver();
    const { headers } = await makeCustomer(db, 10, { mode });
    const payload = { emails: addressesAt(size), url: receiver.url };
    const { id } = (await service.ask({ method: 'POST', url: '/v1/batch', headers, payload })).json();
    await receiver.until(1);
    const { body } = await service.ask({ url: `/v1/batch?id=${id}`, headers });
    expect(JSON.parse(receiver.received[0]!.body)).toEqual(JSON.parse(body));
  });
});

it('records a try that outlasts an outage of the database, and does not repeat it', async () => {
  const service = runService(database.url, TO_ALL);
  await service.opened.ready;
  const answers: (() => void)[] = [];
  const receiver = await startReceiver((response) => void answers.push(() => response.end()));
  const batch = await completeWithCallback(db, receiver.url);
  await receiver.until(1);
  await takeAway(database);
  await expect.poll(() => service.statusOf('/readyz'), PATIENTLY).toBe(503);
  for (const answer of answers) answer();
  await expect.poll(() => service.logged.join(), PATIENTLY).toContain('try of a callback not recorded yet');
  await bringBack(database);
  await batch.until('delivered');
  expect(receiver.received).toHaveLength(1);
});

it('stops although receivers are silent, and leaves their callbacks due', async () => {
  const receiver = await startReceiver(silence);
  const batches = [];
  for (let count = 0; count < 3; count += 1) batches.push(await completeWithCallback(db, receiver.url));
  const service = runService(database.url, TO_ALL);
  await receiver.until(3);
  await service.stop(100);
  const tries = [{ number: 1, error: 'The service stopped before the receiver answered.' }];
  for (const batch of batches) expect(await batch.read()).toMatchObject({ state: 'waiting', tries });
  expect(service.logged.join()).toContain('"callback"');
  expect(service.logged.join()).not.toContain('secret');
});
