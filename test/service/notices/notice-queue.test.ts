/** Workers that send notices to real receivers, on one database. */
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { lookAtCredits } from '../../../src/service/notices/look-at-credits.ts';
import { readNotice, removeNoticeUrl, setNoticeUrl } from '../../../src/service/notices/notice-store.ts';
import { rollCallbackSecret } from '../../../src/service/people/accounts/account-store.ts';
import { CALLBACK_SECRET, topUp } from '../support/account.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { BY_PACE, lookAtAll, makeTold, sendNotices, untilNotice } from '../support/low.ts';
import { silence, startReceiver, status } from '../support/receiver.ts';

const { db } = await testDatabase();
emptyBeforeEach(db, 'notices');

/** Moves a time into the past, instead of waiting. */
const letPass = (column: 'due_at' | 'told_at', seconds: number) =>
  sql`
    update notices set ${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${seconds})
  `.execute(db);

it('sends what runs low, signed with the secret of the account', async () => {
  const receiver = await startReceiver();
  const id = await makeTold(db, receiver.url);
  const { told_at } = (await readNotice(db, id))!;
  const { logged } = await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  const [{ method, body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  expect(method).toBe('POST');
  expect(JSON.parse(body)).toEqual({
    ...{ type: 'credits.low', timestamp: told_at!.toISOString() },
    ...{ account: id, owner_email: `${id}@example.com` },
    ...{ available_credits: 20, needed_credits: 30, days_left: 2 },
  });
  expect(new Webhook(CALLBACK_SECRET).verify(body, headers as Record<string, string>)).toBeTruthy();
  await expect.poll(() => logged.length).toBe(1);
  const details = { account: id, host: new URL(receiver.url).host, number: 1, state: 'delivered' };
  const sent = { ...details, status: 200, durationMs: expect.any(Number) };
  expect(logged).toEqual([['info', 'notice', sent]]);
  expect(JSON.stringify(logged)).not.toContain('secret');
});

it('signs with both secrets after a roll', async () => {
  const receiver = await startReceiver();
  const id = await makeTold(db, receiver.url);
  await rollCallbackSecret(db, id);
  await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  expect(String(receiver.received[0]!.headers['webhook-signature']).split(' ')).toHaveLength(2);
});

it('says no number of days where only the least number counts', async () => {
  const receiver = await startReceiver();
  const id = await makeTold(db, receiver.url);
  await sql`update ledger_days set day = day - 30 where account_id = ${id}`.execute(db);
  await setNoticeUrl(db, id, `${receiver.url}&again`);
  await lookAtAll(db, { ...BY_PACE, lowCredits: 21 });
  await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ needed_credits: 21, days_left: null });
});

it('tries again until a 200, with the same webhook-id and the same body', async () => {
  const receiver = await startReceiver((response, count) => status(count < 3 ? 500 : 200)(response, count));
  const id = await makeTold(db, receiver.url);
  await sendNotices(db);
  for (const count of [1, 2]) {
    await receiver.until(count);
    const { due_at, error } = await untilNotice(db, id, 'waiting');
    expect([due_at, error]).toEqual([expect.any(Date), 'The receiver answered 500.']);
    await letPass('due_at', 3_600);
  }
  await untilNotice(db, id, 'delivered');
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

it('gives up when the next try would be too late', async () => {
  const receiver = await startReceiver(status(503));
  const id = await makeTold(db, receiver.url);
  await sendNotices(db, { durations: { callbackRetry: 9, callbackGiveUp: 1 } });
  const { error } = await untilNotice(db, id, 'given up');
  expect(error).toBe('The receiver answered 503.');
});

it('gives up a retry that no process could send in time, and says so', async () => {
  const receiver = await startReceiver(status(503));
  const id = await makeTold(db, receiver.url);
  const before = await sendNotices(db);
  await receiver.until(1);
  await untilNotice(db, id, 'waiting');
  await before.stop(1_000);
  await letPass('due_at', 300_000);
  await letPass('told_at', 300_000);
  const { logged } = await sendNotices(db);
  await untilNotice(db, id, 'given up');
  await expect.poll(() => logged).toContainEqual(['warn', 'notice given up unsent', { account: id }]);
  expect(receiver.received).toHaveLength(1);
});

it('never goes to a private IP address, unless the operator allows it', async () => {
  const receiver = await startReceiver();
  const id = await makeTold(db, receiver.url);
  await sendNotices(db, { callbacks: { allowPrivateAddresses: false } });
  await expect.poll(async () => (await readNotice(db, id))?.error).toMatch(/IP address/);
  expect(receiver.received).toEqual([]);
});

it('sends each notice once, although four processes share the work', async () => {
  const receiver = await startReceiver();
  const accounts: string[] = [];
  for (let count = 0; count < 20; count += 1) accounts.push(await makeTold(db, receiver.url));
  await Promise.all([1, 2, 3, 4].map(() => sendNotices(db)));
  await Promise.all(accounts.map((id) => untilNotice(db, id, 'delivered')));
  expect(receiver.received).toHaveLength(20);
});

it('sends a notice again at once that was cut off by the end of its process', async () => {
  const receiver = await startReceiver((response, count) => (count === 1 ? undefined : response.end()));
  const id = await makeTold(db, receiver.url);
  const first = await sendNotices(db);
  await receiver.until(1);
  await first.stop();
  expect(await readNotice(db, id)).toMatchObject({ state: 'waiting' });
  await sendNotices(db);
  await untilNotice(db, id, 'delivered');
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

describe('while it is being sent', () => {
  /** A receiver that answers when the test says so. */
  async function startHeld(code = 200) {
    let answer = () => {};
    const receiver = await startReceiver((response) => {
      answer = () => status(code)(response, 1);
    });
    const id = await makeTold(db, receiver.url);
    const worker = await sendNotices(db);
    await receiver.until(1);
    return { id, worker, answer: () => answer() };
  }
  const ended = (logged: unknown[][]) => expect.poll(() => logged.map(([, , details]) => details));

  it('another URL is told for itself', async () => {
    const { id, worker, answer } = await startHeld();
    const other = await startReceiver(silence);
    await setNoticeUrl(db, id, other.url);
    answer();
    await ended(worker.logged).toMatchObject([{ state: 'lost' }]);
    expect(await readNotice(db, id)).toMatchObject({ told_at: null, state: null });
    await lookAtAll(db);
    await other.until(1);
  });

  it('the URL can be removed', async () => {
    const { id, worker, answer } = await startHeld(500);
    await removeNoticeUrl(db, id);
    answer();
    await ended(worker.logged).toMatchObject([{ state: 'lost' }]);
    expect(await readNotice(db, id)).toBeUndefined();
  });

  it('enough credits end it', async () => {
    const { id, worker, answer } = await startHeld(500);
    await topUp(db, id, 100);
    expect(await lookAtCredits(db, BY_PACE)).toBe(true);
    answer();
    await ended(worker.logged).toMatchObject([{ state: 'lost' }]);
    expect(await readNotice(db, id)).toMatchObject({ told_at: null, state: null, due_at: null });
  });
});
