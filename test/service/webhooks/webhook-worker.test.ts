/** Workers with real receivers, on one database. */
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { readStatus } from '../../../src/service/batch/batch-status.ts';
import { sendAgain } from '../../../src/service/batch/callbacks/callback-store.ts';
import { createSecrets } from '../../../src/service/database/secrets.ts';
import { CALLBACK_SECRET, makeAccount } from '../support/account.ts';
import { type CompletedBatch, completeWithCallback, letPass, sendCallbacks } from '../support/callbacks.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { PUBLIC_URL, settingsWith } from '../support/deps.ts';
import { holdTimers } from '../support/held-timers.ts';
import { onQueries, onRows } from '../support/plugins.ts';
import { type Respond, silence, startReceiver, status } from '../support/receiver.ts';

/** Receivers on this machine, too. */
const TO_ALL = { callbacks: { allowPrivateAddresses: true } };

const database = await testDatabase();
const { db } = database;
emptyBeforeEach(db, 'batches');

const idsOf = (received: readonly { headers: Record<string, unknown> }[]) =>
  received.map(({ headers }) => headers['webhook-id']);
const eventsOf = (logged: readonly unknown[][]) => logged.map(([, event]) => event);

/** Waits until so many tries have ended. One that a worker cuts off by its end is another end. */
const untilTries = (batch: CompletedBatch, count: number) =>
  vi.waitFor(async () => {
    const callback = await batch.read();
    expect(callback.tries).toHaveLength(count);
    return callback;
  });

/** A receiver, a batch whose callback goes there, and a worker that sends it. */
async function startSending(respond?: Respond, options?: Parameters<typeof sendCallbacks>[1]) {
  const receiver = await startReceiver(respond);
  const batch = await completeWithCallback(db, receiver.url);
  return { receiver, batch, worker: await sendCallbacks(db, options) };
}

/** Answers when the test says so. */
function holdAnswers() {
  const held: (() => void)[] = [];
  const respond: Respond = (response) => void held.push(() => response.end());
  const answer = () => {
    for (const end of held) end();
  };
  return { respond, answer };
}

it('sends what GET returns, signed with the secret of the account', async () => {
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url, { size: 3 });
  await sendCallbacks(db);
  await batch.until('delivered');
  const [{ method, body, headers }] = receiver.received as [(typeof receiver.received)[0]];
  expect(method).toBe('POST');
  expect(body).toBe(JSON.stringify(await readStatus(db, batch, PUBLIC_URL)));
  expect(JSON.parse(body)).toMatchObject({ id: batch.id, emails: [{}, {}, {}], total_counts: { total: 3 } });
  const verified = new Webhook(CALLBACK_SECRET).verify(body, headers as Record<string, string>);
  expect(verified).toEqual(JSON.parse(body));
  const { rows } = await sql<{ second: number }>`
    select floor(extract(epoch from tried_at))::integer as second from callbacks
  `.execute(db);
  expect(headers['webhook-timestamp']).toBe(`${rows[0]!.second}`);
});

it('tries again until a 200, with one webhook-id and a timestamp for each try', async () => {
  const respond: Respond = (response, count) => status(count < 3 ? 500 : 200)(response, count);
  const { receiver, batch } = await startSending(respond);
  for (const number of [1, 2]) {
    const { tries } = await untilTries(batch, number);
    expect(tries.at(-1)).toMatchObject({ number, status: 500, error: 'The receiver answered 500.' });
    // It is as if the try were older, too.
    await letPass(db, batch.id, 3_600);
  }
  await batch.until('delivered');
  expect(receiver.received).toHaveLength(3);
  expect(new Set(idsOf(receiver.received)).size).toBe(1);
});

it('keeps the schedule over restarts, and gives up when the time is over', async () => {
  const receiver = await startReceiver(status(503));
  const batch = await completeWithCallback(db, receiver.url);
  const durations = { callbackRetry: 3_600, callbackGiveUp: 3 * 3_600 - 60 };
  const settings = settingsWith({ ...TO_ALL, durations });
  for (const count of [1, 2, 3]) {
    const worker = await sendCallbacks(db, { settings });
    await untilTries(batch, count);
    await worker.stop(1_000);
    if (count === 3) break;
    // The next one is not sent a minute too early.
    await letPass(db, batch.id, 3_540);
    await (await sendCallbacks(db, { settings })).stop();
    expect((await batch.read()).state).toBe('waiting');
    await letPass(db, batch.id, 60);
  }
  // Another try would come after the end.
  const { tries } = await batch.until('given up');
  expect([tries.length, receiver.received.length]).toEqual([3, 3]);
  expect(new Set(idsOf(receiver.received)).size).toBe(1);
});

it('tells the operator of each try, without what the URL may hide', async () => {
  const [good, bad] = [await startReceiver(), await startReceiver(status(503))];
  const delivered = await completeWithCallback(db, good.url);
  const failed = await completeWithCallback(db, bad.url);
  const settings = settingsWith({ ...TO_ALL, durations: { callbackRetry: 9, callbackGiveUp: 1 } });
  const { logged } = await sendCallbacks(db, { settings });
  await Promise.all([delivered.until('delivered'), failed.until('given up')]);
  await expect.poll(() => logged.length).toBe(2);
  const host = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
  const common = { host, number: 1, durationMs: expect.any(Number) };
  const toGood = { ...common, batch: delivered.id, state: 'delivered', status: 200 };
  expect(logged).toContainEqual(['info', 'callback', toGood]);
  const reason = 'The receiver answered 503.';
  const toBad = { ...common, batch: failed.id, state: 'given up', status: 503, reason };
  expect(logged).toContainEqual(['warn', 'callback', toBad]);
  expect(JSON.stringify(logged)).not.toMatch(/secret|hook\b/);
});

it('gives up a retry that comes too late, and says so', async () => {
  const { receiver, batch, worker: before } = await startSending(status(503));
  await untilTries(batch, 1);
  await before.stop(1_000);
  await letPass(db, batch.id, 300_000);
  const { logged } = await sendCallbacks(db);
  await batch.until('given up');
  await expect.poll(() => logged).toContainEqual(['warn', 'callback given up unsent', { batch: batch.id }]);
  expect(receiver.received).toHaveLength(1);
});

it('sends again when it is told to', async () => {
  const { receiver, batch } = await startSending();
  await batch.until('delivered');
  expect(await sendAgain(db, batch.id)).toBe('due');
  await receiver.until(2);
  expect(new Set(idsOf(receiver.received)).size).toBe(1);
  expect((await batch.until('delivered')).tries).toHaveLength(2);
});

it('sends at once when it is woken', async () => {
  const receiver = await startReceiver();
  const worker = await sendCallbacks(db, { lookEveryMs: 600_000 });
  // The look of the start is over.
  await worker.stop();
  const { wake } = await sendCallbacks(db, { lookEveryMs: 600_000 });
  const batch = await completeWithCallback(db, receiver.url);
  wake();
  await batch.until('delivered');
});

it('sends each callback once, although four processes share the work', async () => {
  const receiver = await startReceiver();
  const batches = [];
  for (let count = 0; count < 40; count += 1) batches.push(await completeWithCallback(db, receiver.url));
  for (let count = 0; count < 4; count += 1) await sendCallbacks(database.connect(2));
  await Promise.all(batches.map((batch) => batch.until('delivered')));
  expect(receiver.received).toHaveLength(40);
  expect(new Set(idsOf(receiver.received)).size).toBe(40);
});

it('does not let silent receivers of one account hold up another account', async () => {
  const silent = await startReceiver(silence);
  const accountId = await makeAccount(db);
  for (let count = 0; count < 14; count += 1) await completeWithCallback(db, silent.url, { accountId });
  const { wake } = await sendCallbacks(db);
  await silent.until(4);
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url);
  wake();
  await batch.until('delivered');
  expect(silent.received).toHaveLength(4);
});

it('does not let silent receivers hold up another receiver of the same account', async () => {
  const silent = await startReceiver(silence);
  const accountId = await makeAccount(db);
  for (let count = 0; count < 14; count += 1) await completeWithCallback(db, silent.url, { accountId });
  for (let count = 0; count < 10; count += 1)
    await completeWithCallback(db, `${silent.url}?${count}`, { accountId });
  const { wake } = await sendCallbacks(db);
  await silent.until(14);
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url, { accountId });
  wake();
  await batch.until('delivered');
  expect(silent.received).toHaveLength(14);
});

describe('a receiver', () => {
  const redirect = status(302, { location: 'http://127.0.0.1/' });
  it.each<[string, Respond, number | null, string, patienceMs?: number]>([
    ['that hangs', silence, null, 'did not answer within 0.3 seconds.', 300],
    ['that cuts it off', (response) => response.destroy(), null, 'closed the connection before it answered.'],
    ['that redirects', redirect, 302, 'answered 302. Redirects are not followed.'],
    ['that says 204', status(204), 204, 'answered 204. Only 200 counts as delivered.'],
  ])('%s gets another try later', async (_, respond, status, what, patienceMs = 30_000) => {
    const receiver = await startReceiver(respond);
    const batch = await completeWithCallback(db, receiver.url);
    // It passes when the receiver has the callback.
    const patience = holdTimers((ms) => ms === patienceMs);
    await sendCallbacks(db, { patienceMs });
    await receiver.until(1);
    if (respond === silence) patience.fire();
    const tries = [{ number: 1, status, error: `The receiver ${what}` }];
    await expect.poll(batch.read).toMatchObject({ state: 'waiting', tries });
    expect(receiver.received).toHaveLength(1);
  });

  it('on a private address gets nothing unless the operator allows it', async () => {
    const { receiver, batch } = await startSending(undefined, { settings: settingsWith() });
    const error = expect.stringContaining('IP address that callbacks may not go to');
    await expect.poll(batch.read).toMatchObject({ tries: [{ error }] });
    expect(receiver.received).toEqual([]);
  });
});

describe('stopping', () => {
  it('waits for receivers that answer soon', async () => {
    const { respond, answer } = holdAnswers();
    const { receiver, batch, worker } = await startSending(respond);
    await receiver.until(1);
    // However late the answer is read, the wait has not ended.
    holdTimers((ms) => ms === 2_000);
    const stopped = worker.stop(5_000);
    answer();
    await stopped;
    expect(await batch.read()).toMatchObject({ state: 'delivered' });
  });

  it('cuts off the others, records that, and another process sends them at once', async () => {
    const receiver = await startReceiver((response, count) => count > 2 && response.end());
    const batches = [];
    for (let count = 0; count < 2; count += 1) batches.push(await completeWithCallback(db, receiver.url));
    const worker = await sendCallbacks(db);
    await receiver.until(2);
    await worker.stop(100);
    await expect.poll(receiver.connections).toBe(0);
    const error = 'The service stopped before the receiver answered.';
    const tries = [{ number: 1, status: null, error }];
    for (const batch of batches) expect(await batch.read()).toMatchObject({ state: 'waiting', tries });
    await sendCallbacks(db);
    for (const batch of batches) await batch.until('delivered');
    expect(new Set(idsOf(receiver.received)).size).toBe(2);
  });
});

it('deletes the callback with its batch, also while it is sent', async () => {
  const { respond, answer } = holdAnswers();
  const { receiver, batch, worker } = await startSending(respond);
  await receiver.until(1);
  await db.deleteFrom('accounts').where('id', '=', batch.accountId).execute();
  answer();
  await expect.poll(() => worker.logged).toMatchObject([['info', 'callback', { state: 'lost' }]]);
  expect(await db.selectFrom('callback_tries').selectAll().execute()).toEqual([]);
});

describe('while the database is away', () => {
  it('keeps what became of a try until the database takes it', async () => {
    const { respond, answer } = holdAnswers();
    const { receiver, batch, worker } = await startSending(respond);
    await receiver.until(1);
    await sql`alter table callbacks rename to callbacks_away`.execute(db);
    answer();
    for (const event of ['try of a callback not recorded yet', 'callbacks not claimed'])
      await expect.poll(() => eventsOf(worker.logged)).toContain(event);
    await sql`alter table callbacks_away rename to callbacks`.execute(db);
    await batch.until('delivered');
    expect(receiver.received).toHaveLength(1);
  });

  it('makes a callback due again whose batch it could not read', async () => {
    const receiver = await startReceiver();
    const batch = await completeWithCallback(db, receiver.url);
    let faults = 0;
    const broken = onQueries(({ kind }) => {
      // Only reading a batch selects in this way.
      if (kind !== 'SelectQueryNode' || faults > 0) return;
      faults += 1;
      throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    });
    await sendCallbacks(db.withPlugin(broken));
    expect((await batch.until('delivered')).tries).toHaveLength(1);
    expect(faults).toBe(1);
  });
});

it('sends at most 100 callbacks at once', async () => {
  const silent = await startReceiver(silence);
  for (let account = 0; account < 26; account += 1) {
    const { accountId } = await completeWithCallback(db, silent.url);
    for (let count = 1; count < 4; count += 1) await completeWithCallback(db, silent.url, { accountId });
  }
  const { wake } = await sendCallbacks(db);
  await silent.until(100);
  wake();
  const states = () =>
    db.selectFrom('callbacks').select('batch_id').where('process_id', 'is not', null).execute();
  expect(await states()).toHaveLength(100);
});

describe('between the claim and the request', () => {
  /** Does something when a callback was claimed, before the worker knows of it. */
  const afterClaim = (act: () => Promise<unknown>) =>
    db.withPlugin(onRows((rows) => rows.some((row) => 'message_id' in row) && act()));

  it('a batch may be deleted', async () => {
    const receiver = await startReceiver();
    const batch = await completeWithCallback(db, receiver.url);
    const other = await completeWithCallback(db, receiver.url);
    const remove = () => db.deleteFrom('batches').where('id', '=', batch.id).execute();
    const { logged } = await sendCallbacks(afterClaim(remove));
    await other.until('delivered');
    expect(receiver.received.map(({ body }) => JSON.parse(body).id)).toEqual([other.id]);
    await expect.poll(() => eventsOf(logged)).toEqual(['callback']);
  });

  it('the service may stop', async () => {
    const receiver = await startReceiver();
    let stopped: Promise<void> | undefined;
    const claiming = afterClaim(async () => {
      stopped = worker.stop();
    });
    const worker = await sendCallbacks(claiming, { lookEveryMs: 600_000 });
    const batch = await completeWithCallback(db, receiver.url);
    worker.wake();
    await vi.waitUntil(() => stopped !== undefined);
    await stopped;
    expect(await batch.read()).toMatchObject({ state: 'waiting', tries: [] });
    expect(receiver.received).toEqual([]);
  });
});

it('sends nothing unsigned if the secret is sealed with a key that the process lacks', async () => {
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url);
  const { accountId } = batch;
  const secrets = createSecrets([Buffer.alloc(32, 1)]);
  const { sealed } = secrets.seal('accounts.callback_secret', accountId, 'whsec_x');
  await sql`
    update accounts set callback_secret = null, sealed_callback_secret = ${sealed} where id = ${accountId}
  `.execute(db);
  const { logged } = await sendCallbacks(db);
  await expect.poll(batch.read).toMatchObject({ state: 'waiting', tries: [{ status: null }] });
  const why = expect.objectContaining({ error: 'SECRETS_KEY_MISSING' });
  expect(logged).toContainEqual(['error', 'callback not sent', why]);
  expect(receiver.received).toEqual([]);
});

it('counts a fault of the service as a try', async () => {
  const receiver = await startReceiver();
  const batch = await completeWithCallback(db, receiver.url);
  await sql`update accounts set callback_secret = 'whsec_x' where id = ${batch.accountId}`.execute(db);
  const { logged } = await sendCallbacks(db);
  const error = 'The service failed to send the callback. Its operator finds the reason in the log.';
  await expect.poll(batch.read).toMatchObject({ state: 'waiting', tries: [{ error }] });
  expect(eventsOf(logged)).toContain('callback not sent');
});

it('claims again what it has lost track of', async () => {
  const { receiver, batch, worker } = await startSending();
  const { processId, stop } = worker;
  await batch.until('delivered');
  await stop();
  await sql`update callbacks set process_id = ${processId}, delivered_at = null`.execute(db);
  await sendCallbacks(db, { processId });
  await receiver.until(2);
});
