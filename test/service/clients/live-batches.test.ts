/** Live batches as the official client sees them, over real connections. */
import { describe, expect, it, vi } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { creditsOf, makeAccount } from '../support/account.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { scriptVerifier } from '../support/live.ts';
import { runService } from '../support/running-service.ts';
import { beginSecond, storeKey } from '../support/stored-service.ts';
import { type ClientBatch, connectClient, errorOf } from './client.ts';

const database = await testDatabase();
const { db } = database;
// What a test leaves open is not the next one's.
emptyBeforeEach(db, 'batches');

const LIVE = { kind: 'private', mode: 'live' } as const;
const UNKNOWN_ID = '0123456789abcdef01234567';
const OPEN = 'Your batch is being processed.';
const ADDRESSES = ['jo@one.example', 'Sam@two.example', 'not an address', 'SAM@two.example'];

/** @param held whose result waits longer than those of the others */
function scriptTwo(held: string) {
  const others = scriptVerifier();
  const last = scriptVerifier();
  const verifier: Verifier = (request) => (request.address === held ? last : others).verifier(request);
  return { ...others, held: last, verifier };
}

async function open({ credits = 100, batchPerSecond = 1_000_000 } = {}) {
  const script = scriptTwo('Sam@two.example');
  const service = runService(database.url, {
    verifier: script.verifier,
    limits: { verifyPerSecond: 1_000_000, accountPerSecond: 1_000_000, batchPerSecond },
  });
  await service.opened.ready;
  const address = await service.listen();
  const accountId = await makeAccount(db, credits);
  const { key } = await storeKey(db, accountId, LIVE);
  const client = connectClient(address, key);
  // The result may be tried again otherwise.
  const create = async (emails: string[]): Promise<string> =>
    (await client.batches.verify(emails, { retries: false })).id;
  const status = (id: string, options = {}): Promise<ClientBatch> => client.batches.status(id, options);
  const readCompleted = async (id: string) => {
    const batch = await status(id);
    expect(batch.message).toBe('Batch verification completed.');
    return batch;
  };
  const completed = (id: string) => vi.waitFor(() => readCompleted(id), { interval: 20 });
  return { script, address, accountId, client, create, status, completed };
}

it('shows a batch from its creation to its results', async () => {
  const { script, accountId, client, status, completed } = await open();
  const { message, id } = await client.batches.verify(ADDRESSES, { retries: false });
  expect([message, id]).toEqual(['Batch successfully created.', expect.stringMatching(/^[0-9a-f]{24}$/)]);
  expect(await creditsOf(db, accountId)).toBe(97);
  expect(await status(id)).toEqual({ message: OPEN, processed: 0, total: 4 });
  await script.called(2);
  script.answer();
  await vi.waitFor(async () => expect(await status(id)).toEqual({ message: OPEN, processed: 2, total: 4 }));
  const partial = await status(id, { partial: true });
  expect(partial).toMatchObject({ message: OPEN, id, reason_counts: { accepted_email: 2 } });
  expect(partial.emails!.map(({ email }) => email)).toEqual(['jo@one.example', 'not an address']);
  expect(partial.total_counts).toEqual({
    ...{ deliverable: 2, undeliverable: 0, risky: 0, unknown: 0 },
    ...{ processed: 2, total: 4, duplicate: 0 },
  });

  await script.held.called(1);
  script.held.answer('unknown');
  const batch = await completed(id);
  expect(Object.keys(batch).sort()).toEqual(['emails', 'id', 'message', 'reason_counts', 'total_counts']);
  expect(batch.emails!.map(({ email, state }) => `${email} ${state}`)).toEqual([
    'jo@one.example deliverable',
    'Sam@two.example unknown',
    'not an address deliverable',
  ]);
  expect(batch.total_counts).toEqual({
    ...{ deliverable: 2, undeliverable: 0, risky: 0, unknown: 1 },
    ...{ processed: 4, total: 4, duplicate: 1 },
  });
  expect(await creditsOf(db, accountId)).toBe(98);
});

it('shows a batch that waits for a worker, and a paused one', async () => {
  const { create, status } = await open();
  const id = await create(['Sam@two.example']);
  expect(await status(id)).toEqual({ message: OPEN, processed: 0, total: 1 });
  expect(await status(id, { partial: true })).toMatchObject({
    ...{ id, emails: [], total_counts: { processed: 0 } },
  });
  await db.updateTable('batches').set({ paused_at: new Date() }).where('id', '=', id).execute();
  expect(await status(id)).toEqual({ message: 'Your batch is paused.', processed: 0, total: 1 });
});

it('has the fields that were asked for, and no results above 1,000 entries', async () => {
  const { script, client, completed } = await open({ credits: 2_000 });
  script.answer('deliverable', 'always');
  const some = await client.batches.verify(['jo@one.example'], { response_fields: 'state,email' });
  expect((await completed(some.id)).emails).toEqual([{ email: 'jo@one.example', state: 'deliverable' }]);
  const many = Array.from({ length: 1_001 }, (_, index) => `u${index}@d${index % 50}.example`);
  const batch = await completed((await client.batches.verify(many)).id);
  expect(batch).not.toHaveProperty('emails');
  expect(batch.total_counts).toMatchObject({ deliverable: 1_001, processed: 1_001, total: 1_001 });
});

describe('rejects with the status and the message of', () => {
  it('a 402, with both numbers', async () => {
    const { accountId, client } = await open({ credits: 2 });
    const error = await errorOf(client.batches.verify(ADDRESSES));
    expect(error).toEqual({ code: 402, message: expect.stringMatching(/\b3\b.*\b2\b/) });
    expect(await creditsOf(db, accountId)).toBe(2);
  });

  it.each([
    ['an unknown key', 403, 'live_unknown'],
    ['no key', 401, undefined],
  ])('%s', async (_what, code, key) => {
    const { address } = await open();
    const client = connectClient(address, key);
    for (const request of [client.batches.verify(ADDRESSES), client.batches.status(UNKNOWN_ID)]) {
      expect(await errorOf(request)).toEqual({ code, message: expect.stringMatching(/API key/) });
    }
  });

  it("a 404 for an unknown id and for another account's", async () => {
    const one = await open();
    const other = await open();
    for (const id of [UNKNOWN_ID, await one.create(['jo@one.example'])]) {
      const error = await errorOf(other.client.batches.status(id));
      const advice = 'Check the id, and send a key of the account that created the batch.';
      expect(error).toEqual({ code: 404, message: `There is no batch with this id. ${advice}` });
    }
  });

  it('a 429', async () => {
    const { accountId, create, status } = await open({ batchPerSecond: 2 });
    await beginSecond(db, accountId, '/v1/batch');
    const id = await create(['jo@one.example']);
    expect(await errorOf(status(id))).toEqual({ code: 429, message: 'Rate Limit Exceeded' });
  });

  it.each([
    ['no addresses', [], {}, 'emails'],
    ['a field that is unknown', ['jo@one.example'], { response_fields: 'email,duration' }, 'duration'],
    ['simulate with a live key', ['jo@one.example'], { simulate: 'payment_error' }, 'test_'],
  ])('a 400 for %s', async (_what, emails, options, named) => {
    const { client } = await open();
    const error = await errorOf(client.batches.verify(emails, options));
    expect(error).toEqual({ code: 400, message: expect.stringContaining(named) });
  });
});

it('sends no request to another address than that of the service', async () => {
  const client = connectClient('http://127.0.0.1:9', 'live_key');
  const { instance } = client.client as unknown as { instance: { defaults: { baseURL: string } } };
  instance.defaults.baseURL = 'https://api.emailable.com/v1/';
  const { message } = await errorOf(client.batches.status(UNKNOWN_ID));
  expect(String(message)).toContain('Expected a request to http://127.0.0.1:9/v1/');
});
