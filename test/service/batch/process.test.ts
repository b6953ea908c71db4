/** Batches in a service as a process has it. */
import { expect, it, vi } from 'vitest';
import { creditsOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { runService } from '../support/running-service.ts';
import { createScript, makeCustomer } from '../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();

it('completes a large batch of a test key by itself', async () => {
  const service = runService(databaseUrl);
  await service.opened.ready;
  const { headers } = await makeCustomer(db);
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
  const service = runService(databaseUrl, { verifier: createScript({ reason: 'accepted_email' }).verifier });
  await service.opened.ready;
  const { accountId, headers } = await makeCustomer(db, 400, { mode: 'live' });
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
