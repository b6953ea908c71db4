/** What can happen while batches are created: a process dies, the account is deleted, others take the credits. */
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { forgetDeleted, forgetResults } from '../../../src/service/batch/batch-store.ts';
import { deleteAccount, forgetDeletedAccounts } from '../../../src/service/deletion/delete-account.ts';
import { listProcesses } from '../../../src/service/jobs/process-store.ts';
import { startWorld } from '../../engine/world/world.ts';
import { inLong } from '../../in-long.ts';
import { creditsOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { silenceAll } from '../support/process.ts';
import { runService } from '../support/running-service.ts';
import { serve, untilReady } from '../support/service-process.ts';
import { createScript, makeCustomer, startStoredService } from '../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();

const LIVE = { kind: 'private', mode: 'live' } as const;
const LIMITS = { batchPerSecond: 1_000, verifyPerSecond: 1_000 };
const ORDERS = 40;

const countOf = async (table: 'batches' | 'batch_rows') =>
  (await db.selectFrom(table).select(sql<number>`count(*)`.as('count')).executeTakeFirstOrThrow()).count;

inLong('makes one batch of each request that is sent again after its process was killed', async () => {
  const world = await startWorld({});
  onTestFinished(() => world.close());
  const config = { database: databaseUrl, limits: LIMITS, live: world.live };
  const { accountId, key } = await makeCustomer(db, 1_000, LIVE);
  /** @returns the response with a 200, or undefined */
  const send = async (address: string, order: number) => {
    const own = { authorization: `Bearer ${key}`, 'idempotency-key': `order-${order}` };
    const headers = { ...own, 'content-type': 'application/json' };
    const emails = [`a@d${order}.test`, `b@d${order}.test`, `A@D${order}.test`];
    const request = { method: 'POST', headers, body: JSON.stringify({ emails }) };
    const response = await fetch(`${address}/v1/batch`, request).catch(() => undefined);
    return response?.status === 200 ? response.text().catch(() => undefined) : undefined;
  };

  const first = await serve(config);
  await untilReady(first.address);
  const acknowledged = await Promise.all(
    Array.from({ length: ORDERS }, async (_, order) => {
      const body = await send(first.address, order);
      if (body !== undefined) first.child.kill('SIGKILL');
      return body;
    }),
  );
  await first.exit;
  expect(acknowledged.some((body) => body !== undefined)).toBe(true);
  // What a dead process had begun is free once it counts as dead.
  await silenceAll(db);
  await vi.waitUntil(async () => (await listProcesses(db)).every(({ is_alive }) => !is_alive), PATIENTLY);

  const second = runService(databaseUrl, { limits: LIMITS, verifier: createScript().verifier });
  await second.opened.ready;
  const address = await second.listen();
  for (const [order, body] of acknowledged.entries()) {
    const again = await send(address, order);
    expect(again).toBeDefined();
    if (body !== undefined) expect(again).toBe(body);
  }
  expect(await countOf('batches')).toBe(ORDERS);
  const { rows } = await sql`select sum(amount)::bigint as sum from ledger where why = 'batch'`.execute(db);
  expect(rows).toEqual([{ sum: -2 * ORDERS }]);
  await creditsOf(db, accountId);
});

it('leaves nothing behind when the account is deleted meanwhile', async () => {
  const service = await startStoredService(db, { verifier: createScript().verifier });
  await db.deleteFrom('batches').execute();
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async (_, round) => {
      const { accountId, key } = await makeCustomer(db, 100, { ...LIVE, mode: round % 3 ? 'live' : 'test' });
      const post = async (order: number) => {
        const headers = { authorization: `Bearer ${key}`, 'idempotency-key': `order-${order}` };
        const payload = { emails: ['a@x.test', 'b@x.test'] };
        return (await service.ask({ method: 'POST', url: '/v1/batch', headers, payload })).statusCode;
      };
      const early = await post(0);
      const racing = [1, 2, 3, 4].map(post);
      await deleteAccount(db, accountId);
      return [early, ...(await Promise.all(racing)), await post(5)];
    }),
  );
  for (const [early, ...others] of statuses) {
    expect(early).toBe(200);
    expect(others.filter((status) => status !== 200 && status !== 403)).toEqual([]);
  }
  // What the housekeeping does. It finds no batch that still has an owner.
  for (const forget of [forgetDeletedAccounts, forgetResults, forgetDeleted]) while (await forget(db));
  expect([await countOf('batches'), await countOf('batch_rows')]).toEqual([0, 0]);
});

it('shares the credits with single verifications, down to the last one', async () => {
  const verifier = createScript({ reason: 'accepted_email' }).verifier;
  const services = [await startStoredService(db, { verifier }), await startStoredService(db, { verifier })];
  const { accountId, headers } = await makeCustomer(db, 30, LIVE);
  const batch = async (order: number) => {
    const emails = [`a${order}@x.test`, `b${order}@x.test`, `c${order}@x.test`];
    const request = { method: 'POST', url: '/v1/batch', headers, payload: { emails } } as const;
    return { cost: 3, status: (await services[order % 2]!.ask(request)).statusCode };
  };
  const single = async (order: number) => {
    const url = `/v1/verify?email=single${order}@x.test`;
    return { cost: 1, status: (await services[order % 2]!.ask({ url, headers })).statusCode };
  };
  const orders = Array.from({ length: 40 }, (_, order) => order);
  const all = await Promise.all(orders.map((order) => (order % 4 ? single(order) : batch(order))));
  const paid = all.filter(({ status }) => status === 200).reduce((sum, { cost }) => sum + cost, 0);
  expect(all.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
  expect([paid, await creditsOf(db, accountId)]).toEqual([30, 0]);
});
