/** Live batches with the real engine, which asks mail servers on loopback. */
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage.ts';
import { type LiveSettings, settleLive } from '../../../../src/service/config/live.ts';
import type { MailScript } from '../../../engine/world/mail-script.ts';
import { startWorld } from '../../../engine/world/world.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { claimedOf, rowsOf } from '../../support/batch.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runService } from '../../support/running-service.ts';
import { storeKey } from '../../support/stored-service.ts';

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());

async function open(scripts: Readonly<Record<string, MailScript>>, more: Partial<LiveSettings> = {}) {
  const world = await startWorld(scripts);
  onTestFinished(() => world.close());
  const service = runService(database.url, {
    live: { ...settleLive({ ...world.live, dns: [...world.live.dns] }, '/'), ...more },
  });
  await service.parts.ready;
  const accountId = await makeAccount(db, 1_000);
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'live' });
  const headers = { authorization: `Bearer ${key}` };
  const create = async (emails: readonly string[]) => {
    const answer = await service.ask({ method: 'POST', url: '/v1/batch', headers, payload: { emails } });
    expect(answer.statusCode).toBe(200);
    return answer.json<{ id: string }>().id;
  };
  const read = async (id: string, partial = false) =>
    (await service.ask({ url: `/v1/batch?id=${id}&partial=${partial}`, headers })).json();
  const completed = (id: string, timeout = 10_000) =>
    vi.waitFor(
      async () => {
        const body = await read(id);
        expect(body.message).toBe('Batch verification completed.');
        return body;
      },
      { timeout, interval: 50 },
    );
  const verify = async (email: string) => {
    const began = performance.now();
    const { statusCode } = await service.ask({ url: `/v1/verify?email=${email}`, headers });
    return { statusCode, tookMs: performance.now() - began };
  };
  return { world, accountId, create, read, completed, verify };
}

it('shares conversations, keeps to the limits of the mail servers, and lets a single verification through', async () => {
  const rcpt = (recipient: string) =>
    [{ waitMs: 10 }, recipient.startsWith('no') ? '550 5.1.1 No such user' : '250 2.1.5 OK'] as const;
  const { world, accountId, create, completed, verify } = await open({ 'slow.test': { rcpt } });
  const emails = Array.from({ length: 400 }, (_, index) => `${index % 4 ? 'yes' : 'no'}${index}@slow.test`);
  const id = await create(emails);
  await world.server('slow.test').whenSent(/^RCPT/);
  const single = await verify('single@slow.test');
  expect(single.statusCode).toBe(200);
  expect(single.tookMs).toBeLessThan(1_500);
  const body = await completed(id);
  expect(body.total_counts).toMatchObject({ deliverable: 300, undeliverable: 100, unknown: 0 });
  const server = world.server('slow.test');
  expect(server.maxParallel).toBe(2);
  // 20 recipients share a conversation.
  expect(server.connections).toBeLessThan(40);
  expect(await creditsOf(db, accountId)).toBe(599);
}, 20_000);

it('asks again about what a greylist has refused', async () => {
  const { create, completed } = await open({ 'grey.test': { greylist: true } }, { greylistRetries: [1, 2] });
  const body = await completed(await create(['a@grey.test', 'b@grey.test']));
  expect(body.total_counts).toMatchObject({ deliverable: 2, unknown: 0 });
}, 20_000);

it('waits for its turn when the limit of conversations a minute is used up', async () => {
  const { world, create, read } = await open(
    { 'paced.test': {} },
    { perHost: { connections: 2, perMinute: 3, recipientsPerConnection: 2 }, greylistRetries: [] },
  );
  const id = await create(Array.from({ length: 30 }, (_, index) => `u${index}@paced.test`));
  await vi.waitFor(async () => expect((await read(id)).processed).toBe(6), { timeout: 5_000 });
  // None of the others is called unknown for it.
  expect((await read(id, true)).total_counts).toMatchObject({ deliverable: 6, unknown: 0, processed: 6 });
  expect(world.server('paced.test').connections).toBe(3);
}, 20_000);

it('asks mail servers nothing more about a paused batch, and goes on when it is resumed', async () => {
  const rcpt = () => [{ waitMs: 200 }, '250 2.1.5 OK'] as const;
  const { world, create, completed, read } = await open(
    { 'paused.test': { rcpt } },
    { perHost: { connections: 1, perMinute: 1_000_000, recipientsPerConnection: 100 } },
  );
  const id = await create(Array.from({ length: 20 }, (_, index) => `u${index}@paused.test`));
  const server = world.server('paused.test');
  const asked = () => server.lines().filter((line) => line.startsWith('RCPT'));
  await server.whenSent(/^RCPT/);
  await pauseBatch(db, { id });
  // The worker looks once a second. Then one address is in a conversation, and another one waits for it.
  await vi.waitFor(async () => expect(await claimedOf(db, id)).toBe(0), { timeout: 5_000, interval: 10 });
  const { processed, message } = await read(id);
  expect([message, asked().length]).toEqual(['Your batch is paused.', processed]);
  expect((await rowsOf(db, id)).filter(({ tries, due_at }) => tries > 0 || due_at)).toEqual([]);
  await resumeBatch(db, { id });
  expect((await completed(id)).total_counts).toMatchObject({ deliverable: 20 });
  expect(new Set(asked()).size).toBe(20);
  expect(asked()).toHaveLength(20);
}, 20_000);
