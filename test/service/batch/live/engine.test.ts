/** Live batches with the real engine, which asks mail servers on loopback. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { type LiveSettings, settleLive } from '../../../../src/service/config/sections/live-section.ts';
import type { Zone } from '../../../engine/world/dns-zone.ts';
import type { MailScript } from '../../../engine/world/mail-script.ts';
import { startWorld } from '../../../engine/world/world.ts';
import { inLong } from '../../../in-long.ts';
import { creditsOf, makeAccount } from '../../support/account.ts';
import { claimedOf, rowsOf } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { runService } from '../../support/running-service.ts';
import { storeKey } from '../../support/stored-service.ts';

const database = await testDatabase();
const { db } = database;
// What a test leaves open, or has asked in the last minute, is not the next one's.
beforeEach(async () => {
  await db.deleteFrom('batches').execute();
  await sql`truncate paces, conversations, conversation_waits`.execute(db);
});

async function open(
  scripts: Readonly<Record<string, MailScript>>,
  more: Partial<LiveSettings> = {},
  names: Zone = {},
) {
  const world = await startWorld(scripts, names);
  onTestFinished(() => world.close());
  // Most of the servers here accept every address.
  const live = {
    ...settleLive({ ...world.live, dns: [...world.live.dns], catchAllByDefault: false }, '/'),
    ...more,
  };
  const service = runService(database.url, { live });
  await service.opened.ready;
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
  const completed = (id: string) =>
    vi.waitFor(
      async () => {
        const body = await read(id);
        expect(body.message).toBe('Batch verification completed.');
        return body;
      },
      { interval: 50 },
    );
  const verify = async (email: string, by = service) => {
    const answer = await by.ask({ url: `/v1/verify?email=${email}&timeout=10`, headers });
    return { statusCode: answer.statusCode, state: answer.json().state };
  };
  const startAnother = async () => {
    const another = runService(database.url, { live });
    await another.opened.ready;
    return another;
  };
  return { world, accountId, create, read, completed, verify, startAnother };
}

inLong(
  'shares conversations, keeps to the limits of the mail servers, and lets a single verification through',
  async () => {
    const rcpt = (recipient: string) =>
      [{ waitMs: 10 }, recipient.startsWith('no') ? '550 5.1.1 No such user' : '250 2.1.5 OK'] as const;
    const { world, accountId, create, completed, verify } = await open({ 'slow.test': { rcpt } });
    const emails = Array.from({ length: 160 }, (_, index) => `${index % 4 ? 'yes' : 'no'}${index}@slow.test`);
    const id = await create(emails);
    await world.server('slow.test').whenSent(/^RCPT/);
    expect(await verify('single@slow.test')).toMatchObject({ statusCode: 200 });
    const body = await completed(id);
    expect(body.total_counts).toMatchObject({ deliverable: 120, undeliverable: 40, unknown: 0 });
    const server = world.server('slow.test');
    expect(server.maxParallel).toBe(2);
    // 20 recipients share a conversation.
    expect(server.connections).toBeLessThan(16);
    const asked = server.lines().filter((line) => line.startsWith('RCPT'));
    expect(asked).toHaveLength(161);
    // Asked as the last one, it would have waited for the batch.
    expect(asked.findIndex((line) => line.includes('single@'))).toBeLessThan(120);
    expect(await creditsOf(db, accountId)).toBe(839);
  },
);

describe('a single verification', () => {
  const CONNECTIONS = 2;
  const perHost = { connections: CONNECTIONS, perMinute: 60, recipientsPerConnection: 20 };
  const slow = { rcpt: [{ waitMs: 100 }, '250 2.1.5 OK'] } as const;
  const emails = Array.from({ length: 300 }, (_, index) => `u${index}@slow.test`);
  /** Two hosts of one organisation, so that no conversation can be handed over from one to the other. */
  const names: Zone = {
    'slow.test': { MX: [[10, 'mx1.slow.test']] },
    'mx1.slow.test': { A: ['127.0.1.1'] },
    'other.test': { MX: [[10, 'mx2.slow.test']] },
    'mx2.slow.test': { A: ['127.0.1.2'] },
  };
  /** Until a process waits for a single verification. */
  const untilWaiting = () =>
    vi
      .waitFor(
        async () => {
          const { rows } = await sql`select from conversation_waits where not in_background`.execute(db);
          expect(rows.length).toBeGreaterThan(0);
        },
        { interval: 10, timeout: 15_000 },
      )
      .catch(() => {});
  const recipients = (lines: readonly string[]) => lines.filter((line) => line.startsWith('RCPT'));

  it.each([
    ['the same host', 'this process', 'slow.test', false],
    ['the same host', 'another process', 'slow.test', true],
    ['another host of the organisation', 'this process', 'other.test', false],
    ['another host of the organisation', 'another process', 'other.test', true],
  ])(
    'at %s, asked by %s, waits for the conversations that are open, and not for a batch',
    async (...test) => {
      const [, , domain, isAnother] = test;
      const { world, create, verify, startAnother } = await open(
        { 'slow.test': slow, 'other.test': slow },
        { perHost },
        names,
      );
      await create(emails);
      const busy = world.server('slow.test');
      await busy.whenSent(/^RCPT TO:<u5@/);
      const by = isAnother ? await startAnother() : undefined;
      const isAsked = world.server(domain).whenSent(/^RCPT TO:<single@/);
      let before = recipients(busy.lines()).length;
      const asked = verify(`single@${domain}`, by);
      if (isAnother) {
        // Before, the batch cannot know of it. On a busy machine, that takes a while.
        await Promise.race([isAsked, untilWaiting()]);
        before = recipients(busy.lines()).length;
      }
      await isAsked;
      const since = recipients(busy.lines())
        .slice(before)
        .filter((line) => !line.includes('single@'));
      // The next address of each conversation may have been sent before the request was read.
      expect(since.length).toBeLessThanOrEqual((isAnother ? 4 : 2) * CONNECTIONS);
      expect(await asked).toMatchObject({ statusCode: 200, state: 'deliverable' });
      expect(busy.maxParallel).toBeLessThanOrEqual(CONNECTIONS);
    },
    20_000,
  );

  it('has conversations left when batches have had all that they may have in the minute', async () => {
    const { world, create, verify } = await open(
      { 'paced.test': {} },
      { perHost: { connections: 2, perMinute: 10, recipientsPerConnection: 1 } },
    );
    await create(Array.from({ length: 30 }, (_, index) => `u${index}@paced.test`));
    const server = world.server('paced.test');
    await vi.waitFor(() => expect(server.connections).toBe(9));
    await server.whenEmpty();
    expect(await verify('single@paced.test')).toMatchObject({ statusCode: 200, state: 'deliverable' });
    expect(server.connections).toBe(10);
  });
});

it('asks again about what a greylist has refused', async () => {
  const { create, completed } = await open(
    { 'grey.test': { greylist: true } },
    { greylistRetries: [0.1, 0.2] },
  );
  const body = await completed(await create(['a@grey.test', 'b@grey.test']));
  expect(body.total_counts).toMatchObject({ deliverable: 2, unknown: 0 });
});

it('waits for its turn when the limit of conversations a minute is used up', async () => {
  const { world, create, read } = await open(
    { 'paced.test': {} },
    { perHost: { connections: 2, perMinute: 3, recipientsPerConnection: 2 }, greylistRetries: [] },
  );
  const id = await create(Array.from({ length: 30 }, (_, index) => `u${index}@paced.test`));
  await vi.waitFor(async () => expect((await read(id)).processed).toBe(6));
  // None of the others is called unknown for it.
  expect((await read(id, true)).total_counts).toMatchObject({ deliverable: 6, unknown: 0, processed: 6 });
  expect(world.server('paced.test').connections).toBe(3);
});

it('asks mail servers nothing more about a paused batch, and goes on when it is resumed', async () => {
  const rcpt = () => [{ waitMs: 100 }, '250 2.1.5 OK'] as const;
  const { world, create, completed, read } = await open(
    { 'paused.test': { rcpt } },
    { perHost: { connections: 1, perMinute: 1_000_000, recipientsPerConnection: 100 } },
  );
  const id = await create(Array.from({ length: 12 }, (_, index) => `u${index}@paused.test`));
  const server = world.server('paused.test');
  const asked = () => server.lines().filter((line) => line.startsWith('RCPT'));
  await server.whenSent(/^RCPT/);
  await pauseBatch(db, { id });
  // The worker looks once a second. Then one address is in a conversation, and another one waits for it.
  await vi.waitFor(async () => expect(await claimedOf(db, id)).toBe(0), { interval: 10 });
  const { processed, message } = await read(id);
  expect([message, asked().length]).toEqual(['Your batch is paused.', processed]);
  expect((await rowsOf(db, id)).filter(({ tries, due_at }) => tries > 0 || due_at)).toEqual([]);
  await resumeBatch(db, { id });
  expect((await completed(id)).total_counts).toMatchObject({ deliverable: 12 });
  expect(new Set(asked()).size).toBe(12);
  expect(asked()).toHaveLength(12);
});
