/** Batches in a service as a process has it. */
import { expect, it } from 'vitest';
import { creditsOf } from '../support/account.ts';
import { addressesAt } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { type RunningService, runService } from '../support/running-service.ts';
import { createScript, makeCustomer } from '../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();

/** Sends a batch of so many addresses. @returns what reads its status */
async function send({ ask }: RunningService, headers: Record<string, string>, count: number) {
  const payload = { emails: addressesAt(count, (place) => `company${place % 9}.example`) };
  const { id } = (await ask({ method: 'POST', url: '/v1/batch', headers, payload })).json();
  return async () => (await ask({ url: `/v1/batch?id=${id}`, headers })).json();
}

it('completes a large batch of a test key by itself', async () => {
  const service = runService(databaseUrl);
  await service.opened.ready;
  const { headers } = await makeCustomer(db);
  const status = await send(service, headers, 2_000);
  await expect.poll(status).toMatchObject({ total_counts: { processed: 2_000 } });
});

it('verifies a live batch at once, and keeps single verifications going', async () => {
  const service = runService(databaseUrl, { verifier: createScript({ reason: 'accepted_email' }).verifier });
  await service.opened.ready;
  const { accountId, headers } = await makeCustomer(db, 400, { mode: 'live' });
  const status = await send(service, headers, 300);
  expect((await service.ask({ url: '/v1/verify?email=jo@company.example', headers })).statusCode).toBe(200);
  await expect.poll(status).toMatchObject({ total_counts: { processed: 300, deliverable: 300 } });
  expect(await creditsOf(db, accountId)).toBe(99);
});
