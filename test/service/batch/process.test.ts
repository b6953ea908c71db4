/** Batches in a service as a process has it. */
import { expect, it, vi } from 'vitest';
import { creditsOf, makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { runService } from '../support/running-service.ts';
import { createScript, storeKey } from '../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;

it('completes a large batch of a test key by itself', async () => {
  const service = runService(database.url);
  await service.opened.ready;
  const { key } = await storeKey(db, await makeAccount(db));
  const headers = { authorization: `Bearer ${key}` };
  const emails = Array.from({ length: 2_000 }, (_, index) => `u${index}@company.example`);
  const { id } = (
    await service.ask({ method: 'POST', url: '/v1/batch', headers, payload: { emails } })
  ).json();
  await vi.waitFor(async () => {
    const body = (await service.ask({ url: `/v1/batch?id=${id}`, headers })).json();
    expect(body).toMatchObject({ total_counts: { processed: 2_000 } });
  });
});

it('verifies a live batch at once, and keeps single verifications going', async () => {
  const service = runService(database.url, { verifier: createScript({ reason: 'accepted_email' }).verifier });
  await service.opened.ready;
  const accountId = await makeAccount(db, 400);
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'live' });
  const headers = { authorization: `Bearer ${key}` };
  const emails = Array.from({ length: 300 }, (_, index) => `u${index}@company${index % 9}.example`);
  const { id } = (
    await service.ask({ method: 'POST', url: '/v1/batch', headers, payload: { emails } })
  ).json();
  expect((await service.ask({ url: '/v1/verify?email=jo@company.example', headers })).statusCode).toBe(200);
  await vi.waitFor(async () => {
    const body = (await service.ask({ url: `/v1/batch?id=${id}`, headers })).json();
    expect(body).toMatchObject({ total_counts: { processed: 300, deliverable: 300 } });
  });
  expect(await creditsOf(db, accountId)).toBe(99);
});
