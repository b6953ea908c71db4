/** What the batches of an account may store. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { forgetResults } from '../../../src/service/batch/batch-store.ts';
import { type Created, createBatch } from '../../../src/service/batch/create-batch.ts';
import { entriesOf } from '../../../src/service/batch/entries/collected-entries.ts';
import { deleteBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { workOff } from '../../../src/service/batch/samples.ts';
import { LIVE_STORAGE, MOST_TEST_BATCHES } from '../../../src/service/batch/storage/storage-limits.ts';
import { readStorage } from '../../../src/service/batch/storage/storage-store.ts';
import { lockCredits } from '../../../src/service/credits/credit-store.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { creditsOf, makeAccount } from '../support/account.ts';
import { addressesAt, batchOf } from '../support/batch.ts';
import { untilBlocked } from '../support/blocked.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS } from '../support/deps.ts';
import { holdGrace } from '../support/held-timers.ts';
import {
  createScript,
  failureOf,
  makeCustomer,
  type StoredServiceOptions,
  startStoredService,
} from '../support/stored-service.ts';

const database = await testDatabase();
const { db, connect } = database;
holdGrace();

type Mode = 'test' | 'live';
interface Limits {
  readonly stored_entries?: number;
  readonly open_batches?: number;
}

async function open(mode: Mode, limits: Limits = {}, options: StoredServiceOptions = {}) {
  const service = await startStoredService(db, { verifier: createScript().verifier, ...options });
  const { accountId, key } = await makeCustomer(db, 100, { mode });
  const limit = (changed: Limits) =>
    db.updateTable('accounts').set(changed).where('id', '=', accountId).execute();
  if (Object.keys(limits).length > 0) await limit(limits);
  const post = (count: number, headers: object = {}, payload: object = {}) =>
    service.ask({
      ...{ method: 'POST', url: '/v1/batch', payload: { emails: addresses(count), ...payload } },
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
  const create = async (count: number) => {
    const answer = await post(count);
    expect(failureOf(answer)[0]).toBe(200);
    return answer.json<{ id: string }>().id;
  };
  return { accountId, limit, post, create, storage: () => storageOf(accountId, mode) };
}

const addresses = (count: number) => addressesAt(count, () => 'company.example');

/** What the API does, in a process of its own. */
function create(db: Db, accountId: string, mode: Mode, count = 1, alongside = async () => {}) {
  const entries = entriesOf(addresses(count).map((address) => ({ address, duplicates: 0 })));
  const batch = { accountId, mode, total: count, entries, responseFields: null, retries: true, url: null };
  return createBatch({ ...DEPS, db, processId: randomUUID() }, { ...batch, alongside });
}

/** The entries and the open batches of the account. Fails if they are not those of its batches. */
async function storageOf(accountId: string, mode: Mode): Promise<[entries: number, openBatches: number]> {
  const { rows } = await sql<{ entries: number; open: number }>`
    select coalesce(sum(total) filter (where emptied_at is null), 0)::bigint as entries,
      count(*) filter (where completed_at is null) as open
    from batches where account_id = ${accountId} and mode = ${mode}
  `.execute(db);
  const { stored } = (await readStorage(db, accountId, mode))!;
  const [found] = rows;
  expect({ entries: stored.entries, open: stored.openBatches }).toEqual(found);
  return [stored.entries, stored.openBatches];
}

/** Makes the account store so much, without batches. */
const fill = (accountId: string, mode: Mode, entries: number, open_batches: number) =>
  db.insertInto('batch_storage').values({ account_id: accountId, mode, entries, open_batches }).execute();

describe.each(['test', 'live'] as const)('a batch of a %s key', (mode) => {
  it('is refused with a 429 if the account would store too many entries, and nothing of it is kept or charged', async () => {
    const { accountId, limit, post, create } = await open(mode, { stored_entries: 5 });
    await create(3);
    const before = await creditsOf(db, accountId);
    const keyed = { 'idempotency-key': randomUUID() };
    const refused = await post(3, keyed);
    const message = `Expected at most 5 stored entries in batches of ${mode} keys, got 6. Delete a batch, or wait until results expire.`;
    expect(failureOf(refused)).toEqual([429, message]);
    expect(refused.headers['retry-after']).toBe('3600');
    expect(await storageOf(accountId, mode)).toEqual([3, mode === 'test' ? 0 : 1]);
    expect(await creditsOf(db, accountId)).toBe(before);
    const keys = db.selectFrom('idempotency').where('account_id', '=', accountId).select('key');
    expect(await keys.execute()).toEqual([]);
    expect((await post(2)).statusCode).toBe(200);
    expect((await post(1)).statusCode).toBe(429);
    await limit({ stored_entries: 8 });
    expect((await post(3, keyed)).statusCode).toBe(200);
  });

  it('counts duplicates and cut entries like all others', async () => {
    const { post, storage } = await open(mode, { stored_entries: 5 });
    const emails = ['a@company.example', 'A@company.example', 'x'.repeat(400), 'x'.repeat(401)];
    expect((await post(0, {}, { emails })).statusCode).toBe(200);
    expect((await storage())[0]).toBe(4);
    expect((await post(0, {}, { emails: 'a@company.example,a@company.example' })).statusCode).toBe(429);
  });

  it('is refused with a 429 if too many others are open', async () => {
    const { accountId, post, create } = await open(mode, { open_batches: 2 });
    // Smaller batches of test keys are completed at once.
    for (let count = 0; count < 2; count += 1) await create(mode === 'test' ? 1_001 : 1);
    const refused = await post(1);
    const message = `Expected at most 2 open batches of ${mode} keys, got one more. Wait until one of them is completed, or delete one.`;
    expect(failureOf(refused)).toEqual([429, message]);
    expect(refused.headers['retry-after']).toBe('3600');
    await workOff({ ...DEPS, db });
    expect((await post(1)).statusCode).toBe(mode === 'test' ? 200 : 429);
    await storageOf(accountId, mode);
  });

  it('has the same limits whether or not others of the other mode are stored', async () => {
    const { accountId, create } = await open(mode, { stored_entries: 5 });
    await fill(accountId, mode === 'test' ? 'live' : 'test', 5, 0);
    await create(5);
  });
});

const LARGE = { stored_entries: 7_000_000, open_batches: 1_500 };
it.each([
  ['live', 5_000_000, 1_000, {}],
  ['test', 100_000, 20, {}],
  ['live', 7_000_000, 1_500, LARGE],
  ['test', 100_000, 20, LARGE],
  ['test', 9, 3, { stored_entries: 9, open_batches: 3 }],
] as const)(
  'limits %s batches to %i entries and %i open ones, with %j',
  async (mode, entries, batches, limits) => {
    const { accountId, post } = await open(mode, limits);
    await fill(accountId, mode, entries - 1, batches - 1);
    expect(failureOf(await post(2))[1]).toContain(`at most ${entries} stored entries`);
    expect((await post(1)).statusCode).toBe(200);
    const full = { entries: 0, open_batches: batches };
    await db.updateTable('batch_storage').set(full).where('account_id', '=', accountId).execute();
    expect(failureOf(await post(1))[1]).toContain(`at most ${batches} open batches`);
  },
);

describe('small batches, of which each leaves rows for years', () => {
  const made = (accountId: string, mode: Mode, day: 'today' | 'yesterday', count: number) =>
    sql`
      insert into batch_storage (account_id, mode, entries, open_batches, day, made_on_day)
      values (${accountId}, ${mode}, 0, 0, (now() at time zone 'UTC')::date - ${day === 'today' ? 0 : 1}::integer, ${count})
      on conflict (account_id, mode) do update set day = excluded.day, made_on_day = excluded.made_on_day
    `.execute(db);

  it('of test keys are limited in a day, and a deletion makes no room for more', async () => {
    const { accountId, post, create } = await open('test');
    await made(accountId, 'test', 'today', MOST_TEST_BATCHES - 1);
    const id = await create(1);
    await deleteBatch(db, { id }, { refundUnknown: true });
    const refused = await post(1);
    const message =
      'Expected at most 10000 batches of test keys in a day, got one more. Put more addresses into each, or send it again tomorrow (UTC).';
    expect(failureOf(refused)).toEqual([429, message]);
    expect(refused.headers['retry-after']).toBe('3600');
    await made(accountId, 'test', 'yesterday', MOST_TEST_BATCHES);
    await create(1);
    const found = db.selectFrom('batch_storage').select('made_on_day').where('account_id', '=', accountId);
    expect(await found.execute()).toEqual([{ made_on_day: 1 }]);
  });

  it('of test keys are counted exactly when several processes make them at once', async () => {
    const accountId = await makeAccount(db);
    await made(accountId, 'test', 'today', MOST_TEST_BATCHES - 7);
    const processes: Db[] = [1, 2, 3].map(() => connect(3));
    const many = Array.from({ length: 24 }, (_, index) => create(processes[index % 3]!, accountId, 'test'));
    const created = await Promise.all(many);
    expect(created.filter(({ kind }) => kind === 'created')).toHaveLength(7);
    expect(created.filter(({ kind }) => kind === 'storage-full')).toHaveLength(17);
  });

  it('of live keys have no such limit, because they cost credits', async () => {
    const { accountId, create } = await open('live');
    await made(accountId, 'live', 'today', MOST_TEST_BATCHES);
    await create(1);
  });
});

it('does not ask billing for a batch that it cannot store', async () => {
  let asked = 0;
  const billing = {
    async ask() {
      asked += 1;
      return { kind: 'credited' as const };
    },
  };
  const { accountId, post } = await open('live', { stored_entries: 150 }, { billing });
  expect((await post(151)).statusCode).toBe(429);
  expect([asked, await creditsOf(db, accountId)]).toEqual([0, 100]);
});

describe('the storage of a batch is free again', () => {
  it('when its results have been deleted, and not before', async () => {
    const { create, post, storage } = await open('test', { stored_entries: 3 });
    const id = await create(3);
    await sql`update batches set expires_at = clock_timestamp() where id = ${id}`.execute(db);
    expect((await post(1)).statusCode).toBe(429);
    while (await forgetResults(db, 2));
    expect(await storage()).toEqual([0, 0]);
    await create(3);
  });

  it('when its owner deletes it', async () => {
    const { accountId, create, storage } = await open('live', { stored_entries: 3, open_batches: 1 });
    const id = await create(3);
    expect(await storage()).toEqual([3, 1]);
    const actor = { kind: 'owner', name: 'owner' } as const;
    await deleteBatch(db, { accountId, id, actor }, { refundUnknown: true });
    expect(await storage()).toEqual([0, 0]);
    await create(3);
  });

  it('when the account is deleted', async () => {
    const { accountId, create } = await open('live');
    await create(3);
    expect(await deleteAccount(db, accountId)).toBe(true);
    const left = db.selectFrom('batch_storage').select('mode').where('account_id', '=', accountId);
    expect(await left.execute()).toEqual([]);
  });
});

it('is refused before the credits change, because PostgreSQL can refuse the next change while it undoes one', async () => {
  const counted = countRoundTrips(database.url);
  const accountId = await makeAccount(db, 100);
  // Another process takes the last place meanwhile.
  const takeLast = async () => void (await fill(accountId, 'live', 0, LIVE_STORAGE.openBatches));
  const created = await create(counted.db, accountId, 'live', 1, takeLast);
  expect(created.kind).toBe('storage-full');
  expect(counted.take().filter((statement) => statement.includes('change_credits'))).toEqual([]);
  await counted.close();
});

it('waits for its account before it locks what the account stores, as a deletion does', async () => {
  const accountId = await makeAccount(db);
  await fill(accountId, 'test', 0, 0);
  const other = connect(1, 'creates');
  let created: Promise<Created> | undefined;
  await db.transaction().execute(async (deletion) => {
    await lockCredits(deletion, accountId);
    created = create(other, accountId, 'test');
    await untilBlocked(db, { name: 'creates' });
    await sql`select from batch_storage where account_id = ${accountId} for update nowait`.execute(deletion);
  });
  expect(await created).toMatchObject({ kind: 'created' });
});

it.each(['test', 'live'] as const)('is exact when processes create %s batches at once', async (mode) => {
  const accountId = await makeAccount(db, 1_000);
  // The limit of one kind only, because the order of the batches decides which of two is reached first.
  const limit = mode === 'live' ? { open_batches: 12 } : { stored_entries: 25 };
  await db.updateTable('accounts').set(limit).where('id', '=', accountId).execute();
  const processes: Db[] = [1, 2, 3, 4].map(() => connect(3));
  const created = await Promise.all(
    Array.from({ length: 40 }, (_, index) => create(processes[index % 4]!, accountId, mode, 1 + (index % 3))),
  );
  const [entries, open] = await storageOf(accountId, mode);
  const accepted = created.filter(({ kind }) => kind === 'created').length;
  expect(created.filter(({ kind }) => kind === 'storage-full')).toHaveLength(40 - accepted);
  if (mode === 'live') {
    expect(open).toBe(12);
  } else {
    // A batch of three may not fit where one of two still would.
    expect(entries).toBeGreaterThanOrEqual(23);
    expect(entries).toBeLessThanOrEqual(25);
  }
});

it.each([
  ['a test key', 'test', {}, 86_400],
  ['a test key, if testBatch is shorter', 'test', { testBatch: 60 }, 60],
  ['a test key, if inlineResults is shorter', 'test', { inlineResults: 50, testBatch: 60 }, 50],
] as const)('keeps the rows of a batch of %s: %s, %j, %i seconds', async (_, mode, durations, seconds) => {
  const { create } = await open(mode, {}, { durations });
  const { expires_at, completed_at } = await batchOf(db, await create(2));
  expect(Number(expires_at) - Number(completed_at)).toBe(seconds * 1_000);
});
