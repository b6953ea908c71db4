/** Live batches with the real engine, which asks mail servers on loopback. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { type LiveSettings, settleLive } from '../../../../src/service/config/sections/live-section.ts';
import { deadlineAfter } from '../../../../src/service/verify/live/deadline.ts';
import type { Step } from '../../../engine/world/acts.ts';
import type { Zone } from '../../../engine/world/dns-zone.ts';
import type { MailScript } from '../../../engine/world/mail-script.ts';
import { startWorld } from '../../../engine/world/world.ts';
import { inLong } from '../../../in-long.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf } from '../../support/account.ts';
import { addressesAt, COMPLETED, claimedOf, rowsOf } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { runService } from '../../support/running-service.ts';
import { makeCustomer } from '../../support/stored-service.ts';

const { db, url: databaseUrl } = await testDatabase();
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
  const given = { ...world.live, dns: [...world.live.dns], catchAllByDefault: false };
  const live = { ...settleLive(given, '/'), ...more };
  // A request waits for as long as a busy machine takes, and the engine some seconds longer than for others.
  const options = { live, deadlineAfter: () => deadlineAfter(PATIENTLY.timeout) };
  const service = runService(databaseUrl, options);
  await service.opened.ready;
  const { accountId, headers } = await makeCustomer(db, 1_000, { mode: 'live' });
  const create = async (emails: readonly string[]) => {
    const answer = await service.ask({ method: 'POST', url: '/v1/batch', headers, payload: { emails } });
    expect(answer.statusCode).toBe(200);
    return answer.json<{ id: string }>().id;
  };
  const read = async (id: string, partial = false) =>
    (await service.ask({ url: `/v1/batch?id=${id}&partial=${partial}`, headers })).json();
  const completed = (id: string) =>
    vi.waitFor(async () => {
      const body = await read(id);
      expect(body.message).toBe(COMPLETED);
      return body;
    });
  const verify = async (email: string, by = service) => {
    const answer = await by.ask({ url: `/v1/verify?email=${email}&timeout=10`, headers });
    return { statusCode: answer.statusCode, state: answer.json().state };
  };
  const startAnother = async () => {
    const another = runService(databaseUrl, options);
    await another.opened.ready;
    return another;
  };
  return { world, accountId, create, read, completed, verify, startAnother };
}

/**
 * How a mail server answers only as many recipients of a batch as the test allows, until it is asked about `single@`. So
 * it does not matter how many it could answer before a busy machine has noticed the request for that one.
 *
 * @param total how many are asked in all. Until then, one is held: beside it, the other conversation stays open for the
 * next recipient, which a busy machine begins later
 */
function holdAnswers(
  allowed: number,
  answer: (recipient: string) => string = () => '250 2.1.5 OK',
  total = 0,
) {
  const held: (() => void)[] = [];
  let asked = 0;
  const allow = (more: number) => {
    allowed += more;
    while (allowed > 0 && held.length > (asked < total ? 1 : 0)) {
      allowed -= 1;
      held.shift()!();
    }
  };
  const rcpt = (recipient: string): Step => {
    asked += 1;
    if (recipient.startsWith('single@')) allow(Number.POSITIVE_INFINITY);
    const { promise, resolve } = withResolvers();
    held.push(resolve);
    allow(0);
    return [{ until: promise }, { waitMs: 10 }, answer(recipient)];
  };
  const untilHeld = (count: number) => vi.waitFor(() => expect(held).toHaveLength(count), OFTEN);
  return { rcpt, allow, untilHeld };
}

const OFTEN = { interval: 10 };

/** Until a process waits for a single verification. */
const untilWaiting = () =>
  vi.waitFor(async () => {
    const waits = sql<{ process_id: string; at: string }>`
      select process_id, clock_timestamp()::text as at from conversation_waits where not in_background`;
    const { rows } = await waits.execute(db);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  }, OFTEN);

/** Until the other process, which waits in the background, knows it. */
async function untilKnown({ process_id, at }: Awaited<ReturnType<typeof untilWaiting>>): Promise<void> {
  const seenAfter = (earlier: string) =>
    vi.waitFor(async () => {
      const { rows } = await sql<{ seen_at: string }>`
        select seen_at::text from conversation_waits
        where process_id <> ${process_id} and seen_at > ${earlier}::timestamptz`.execute(db);
      expect(rows).toHaveLength(1);
      return rows[0]!.seen_at;
    }, OFTEN);
  // A process asks again only once it has read what the database answered before.
  await seenAfter(await seenAfter(at));
}

inLong(
  'shares conversations within the limits of servers, and lets a single verification through',
  async () => {
    const answer = (recipient: string) =>
      recipient.startsWith('no') ? '550 5.1.1 No such user' : '250 2.1.5 OK';
    const { rcpt, allow, untilHeld } = holdAnswers(1, answer, 161);
    const { world, accountId, create, completed, verify } = await open({ 'slow.test': { rcpt } });
    const emails = Array.from({ length: 160 }, (_, index) => `${index % 4 ? 'yes' : 'no'}${index}@slow.test`);
    const id = await create(emails);
    await untilHeld(2);
    const single = verify('single@slow.test');
    await untilWaiting();
    // Enough that it could be asked as one of the last.
    allow(150);
    expect(await single).toMatchObject({ statusCode: 200 });
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
  const emails = addressesAt(300, () => 'slow.test');
  /** Two hosts of one organisation, so that no conversation can be handed over from one to the other. */
  const names: Zone = {
    'slow.test': { MX: [[10, 'mx1.slow.test']] },
    'mx1.slow.test': { A: ['127.0.1.1'] },
    'other.test': { MX: [[10, 'mx2.slow.test']] },
    'mx2.slow.test': { A: ['127.0.1.2'] },
  };

  it.each([
    ['the same host', 'this process', 'slow.test', false],
    ['the same host', 'another process', 'slow.test', true],
    ['another host of the organisation', 'this process', 'other.test', false],
    ['another host of the organisation', 'another process', 'other.test', true],
  ])('at %s, asked by %s, waits for open conversations, and not for a batch', async (...test) => {
    const [, , domain, isAnother] = test;
    const { rcpt, allow, untilHeld } = holdAnswers(5);
    const scripts = { 'slow.test': { rcpt }, 'other.test': { rcpt } };
    const { world, create, verify, startAnother } = await open(scripts, { perHost }, names);
    await create(emails);
    const by = isAnother ? await startAnother() : undefined;
    await untilHeld(CONNECTIONS);
    const asked = verify(`single@${domain}`, by);
    const waiting = await untilWaiting();
    if (isAnother) await untilKnown(waiting);
    // It is asked after so few more of the batch, or never.
    allow((isAnother ? 4 : 2) * CONNECTIONS);
    expect(await asked).toMatchObject({ statusCode: 200, state: 'deliverable' });
    expect(world.server('slow.test').maxParallel).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('has conversations left when batches have had all that they may have in the minute', async () => {
    const perHost = { connections: 2, perMinute: 10, recipientsPerConnection: 1 };
    const { world, create, verify } = await open({ 'paced.test': {} }, { perHost });
    await create(addressesAt(30, () => 'paced.test'));
    const server = world.server('paced.test');
    await vi.waitFor(() => expect(server.connections).toBe(9));
    await server.whenEmpty();
    expect(await verify('single@paced.test')).toMatchObject({ statusCode: 200, state: 'deliverable' });
    expect(server.connections).toBe(10);
  });
});

it('asks again about what a greylist has refused', async () => {
  const scripts = { 'grey.test': { greylist: true } };
  const { create, completed } = await open(scripts, { greylistRetries: [0.1, 0.2] });
  const body = await completed(await create(['a@grey.test', 'b@grey.test']));
  expect(body.total_counts).toMatchObject({ deliverable: 2, unknown: 0 });
});

it('waits for its turn when the limit of conversations a minute is used up', async () => {
  const perHost = { connections: 2, perMinute: 3, recipientsPerConnection: 2 };
  const { world, create, read } = await open({ 'paced.test': {} }, { perHost, greylistRetries: [] });
  const id = await create(addressesAt(30, () => 'paced.test'));
  const server = world.server('paced.test');
  await vi.waitFor(() => expect(server.connections).toBe(3));
  await server.whenEmpty();
  // A conversation that begins before the other addresses wait has one recipient.
  const processed = server.lines().filter((line) => line.startsWith('RCPT')).length;
  expect(processed).toBeLessThanOrEqual(6);
  await vi.waitFor(async () => expect((await read(id)).processed).toBe(processed));
  // None of the others is called unknown for it.
  const { total_counts } = await read(id, true);
  expect(total_counts).toMatchObject({ deliverable: processed, unknown: 0, processed });
  expect(server.connections).toBe(3);
});

it('asks mail servers nothing more about a paused batch, and goes on when it is resumed', async () => {
  const { rcpt, allow, untilHeld } = holdAnswers(1);
  const perHost = { connections: 1, perMinute: 1_000_000, recipientsPerConnection: 100 };
  const { world, create, completed, read } = await open({ 'paused.test': { rcpt } }, { perHost });
  const id = await create(addressesAt(12, () => 'paused.test'));
  const server = world.server('paused.test');
  const asked = () => server.lines().filter((line) => line.startsWith('RCPT'));
  await untilHeld(1);
  await pauseBatch(db, { id });
  // One address is in a conversation, and another one has waited for it.
  await vi.waitFor(async () => expect(await claimedOf(db, id)).toBe(1), OFTEN);
  allow(Number.POSITIVE_INFINITY);
  await vi.waitFor(async () => expect(await claimedOf(db, id)).toBe(0), OFTEN);
  const { processed, message } = await read(id);
  expect([message, asked().length, processed]).toEqual(['Your batch is paused.', 2, 2]);
  expect((await rowsOf(db, id)).filter(({ tries, due_at }) => tries > 0 || due_at)).toEqual([]);
  await resumeBatch(db, { id });
  expect((await completed(id)).total_counts).toMatchObject({ deliverable: 12 });
  expect(new Set(asked()).size).toBe(12);
  expect(asked()).toHaveLength(12);
});
