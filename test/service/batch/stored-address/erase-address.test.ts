import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sql, type Updateable } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { recordAuditEvent } from '../../../../src/service/audit/audit-store.ts';
import { readStatus } from '../../../../src/service/batch/batch-status.ts';
import { completeBatch, storeResults } from '../../../../src/service/batch/batch-store.ts';
import { openArchive } from '../../../../src/service/batch/download/archive.ts';
import { toBatchResult } from '../../../../src/service/batch/result-fields.ts';
import { type Erased, eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { findAddress } from '../../../../src/service/batch/stored-address/find-address.ts';
import type { Db, Schema } from '../../../../src/service/database/schema.ts';
import { createIdempotency } from '../../../../src/service/idempotency/idempotency.ts';
import { touchProcess } from '../../../../src/service/jobs/process-store.ts';
import { insertDrafts } from '../../../../src/service/lists/list-store.ts';
import { makeAccount } from '../../support/account.ts';
import { addressesAt, batchOf, storeBatch } from '../../support/batch.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, PUBLIC_URL } from '../../support/deps.ts';
import { startLive } from '../../support/live.ts';
import { resultOf } from '../../support/result.ts';
import { unzip } from '../download/readers.ts';

const database = await testDatabase();
const { db } = database;

const ADA = 'Ada.Lovelace@Example.org';
const OWNER = { kind: 'owner', name: 'owner@example.com' } as const;
const NOTHING = { results: 0, list_rows: 0, workbooks: 0, responses: 0, names: 0 };
/** In the order sent. The first comes twice, the last names Ada as its suggestion. */
const ENTRIES = [ADA, 'bo@example.org', 'ada.lovelace@exmaple.org'];

let accountId: string;
beforeEach(async () => {
  await db.deleteFrom('accounts').execute();
  accountId = await makeAccount(db, 10);
});

const changeBatch = (id: string, changes: Updateable<Schema['batches']>) =>
  db.updateTable('batches').set(changes).where('id', '=', id).execute();
const changeList = (id: string, changes: Updateable<Schema['lists']>) =>
  db.updateTable('lists').set(changes).where('id', '=', id).execute();

let made = 0;
async function makeBatch({ isCompleted = true, downloadable = false, addresses = ENTRIES } = {}) {
  made += 1;
  const id = made.toString(16).padStart(24, '0');
  const entries = addresses.map((address, place) => ({ address, duplicates: place === 0 ? 1 : 0 }));
  await storeBatch(db, accountId, entries, { id, mode: 'test' });
  if (downloadable) await changeBatch(id, { download_name: `${id}${'x'.repeat(19)}` });
  if (isCompleted) {
    const results = addresses.map((address, place) => ({
      place,
      result: { ...toBatchResult(resultOf(address)), did_you_mean: place === 2 ? ADA.toLowerCase() : null },
    }));
    await storeResults(db, id, results);
    await completeBatch(db, id, DEPS.settings.durations);
  }
  return id;
}

async function makeList(batchId: string | null, rows: readonly [string[], number | null][]) {
  made += 1;
  const id = made.toString(16).padStart(24, 'f');
  const list = {
    ...{ id, account_id: accountId, batch_id: batchId, name: 'people.csv', columns: 2 },
    ...{ row_count: rows.length, header: JSON.stringify(['Name', 'Email']), address_column: 1 },
  };
  await db.insertInto('lists').values(list).execute();
  for (const [number, [cells, place]] of rows.entries()) {
    const row = { list_id: id, number, cells: JSON.stringify(cells), place };
    await db.insertInto('list_rows').values(row).execute();
  }
  return id;
}

/** Erases Ada, and changes something after the search, before the erasure. */
async function eraseAfter(change: () => Promise<unknown>): Promise<Erased> {
  const other = database.connect(1);
  const { erasing } = await other.transaction().execute(async (holder) => {
    // The erasure waits for the account. A new draft or batch needs only this weaker lock.
    await holder.selectFrom('accounts').select('id').where('id', '=', accountId).forKeyShare().execute();
    const erasing = eraseAddress(database.connect(1), accountId, ADA, OWNER);
    await untilBlocked(db);
    await change();
    return { erasing };
  });
  return erasing;
}

/** Replaces a draft by one with the same row. */
async function readAgain(as: Db, id: string) {
  const table = {
    ...{ columns: 2, rows: 1, titles: null, header: null },
    ...{ addressColumn: 1, addresses: [0, 1], longest: [3, 24] },
  };
  const facts = { tables: [table], chosen: 0 };
  const portion = { table: 0, from: 0, json: JSON.stringify([['Ada', ADA]]), isLast: true };
  const portions = Readable.from([{ ...portion, numbers: '[null]', hidden: [] }]);
  const replaces = { id, ends_at: new Date(Date.now() + 3_600_000) };
  const drafts = { accountId, madeBy: null, name: 'people.csv', facts, keptSeconds: 0, replaces };
  await insertDrafts(as, drafts, portions);
}

async function cellsOf(id: string) {
  const rows = db.selectFrom('list_rows').select(['cells', 'place']).where('list_id', '=', id);
  return (await rows.orderBy('number').execute()).map(({ cells, place }) => [cells, place]);
}
const status = async (id: string) =>
  JSON.parse(JSON.stringify(await readStatus(db, { accountId, id }, PUBLIC_URL)));

async function storeResponse(key: string, address: string) {
  const processId = randomUUID();
  await touchProcess(db, processId);
  const request = Buffer.alloc(32);
  const keyed = { accountId, mode: 'test', route: '/v1/verify', key, request } as const;
  const idempotency = createIdempotency({ db, processId });
  const run = (body: string) => idempotency.run(keyed, async () => ({ status: 200, body }));
  await run(JSON.stringify(resultOf(address)));
  return () => run('{"verified":"again"}');
}

/** All rows of all tables, as texts. */
async function dump(): Promise<string> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'
  `.execute(db);
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const table = sql.table(name);
    const { rows } = await sql<{ row: string }>`select ${table}::text as row from ${table}`.execute(db);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n').toLowerCase();
}

it('leaves nothing of the address in any table, and everything else', async () => {
  const id = await makeBatch();
  const list = await makeList(id, [
    [['Ada', ADA], 0],
    [['Bo', 'bo@example.org'], 1],
    [['Ada again', ` ${ADA.toUpperCase()}`], 0],
    [['Ada <ada.lovelace@example.org>', ''], null],
    [['Mrs Slip', 'ada.lovelace@exmaple.org'], 2],
  ]);
  await storeResponse('one', ADA);
  await storeResponse('two', 'bo@example.org');
  const before = await status(id);
  const dumped = await dump();
  expect(dumped).toContain('ada.lovelace@example.org');
  const erased = await eraseAddress(db, accountId, ' ada.LOVELACE@example.org', OWNER);
  expect(erased).toEqual({ results: 2, list_rows: 3, workbooks: 0, responses: 1, names: 0 });
  const after = await dump();
  expect(after).not.toContain('ada.lovelace@example.org');
  expect(after).not.toContain('lovelace@example');
  for (const kept of ['bo@example.org', 'ada.lovelace@exmaple.org', 'mrs slip'])
    expect(after).toContain(kept);
  expect(await cellsOf(list)).toEqual([
    [[], null],
    [['Bo', 'bo@example.org'], 1],
    [[], null],
    [[], null],
    [['Mrs Slip', 'ada.lovelace@exmaple.org'], 2],
  ]);
  const { emails, ...counts } = await status(id);
  expect(counts).toEqual({ ...before, emails: undefined });
  expect(emails).toEqual([before.emails[1], { ...before.emails[2], did_you_mean: null }]);
  const log = await db.selectFrom('audit').select(['action', 'details']).execute();
  expect(log).toEqual([{ action: 'address.erase', details: erased }]);
});

it('leaves nothing of an address that stands in names, titles, longer entries and encoded cells', async () => {
  const addresses = [
    ...[`Ada <${ADA}>`, `mailto:${ADA}`, `"${ADA}"`, `${ADA}.`, `x${ADA.toLowerCase()}`, 'bo@example.org'],
  ];
  const id = await makeBatch({ addresses });
  const list = await makeList(id, [
    [['https://example.net/?user=ada.lovelace%40example.org', 'Ada'], null],
    [['Bo', 'bo@example.org'], 5],
  ]);
  const draft = await makeList(null, [[['Bo'], null]]);
  const name = `list ${ADA}.csv`;
  await changeBatch(id, { name });
  await changeList(list, { name, header: JSON.stringify(['Name', ` ${ADA}`]) });
  await changeList(draft, { findings: JSON.stringify({ sheet: ADA, addresses: [1] }) });
  await recordAuditEvent(db, { accountId, actor: OWNER, action: 'batch.create', subject: { id, name } });
  expect(await eraseAddress(db, accountId, ADA, OWNER)).toMatchObject({ results: 4, list_rows: 1, names: 5 });
  const after = await dump();
  // One belongs to another address.
  expect(after.replaceAll('xada.lovelace', '')).not.toContain('lovelace');
  expect(after).toContain('xada.lovelace@example.org');
  const [stored] = await db.selectFrom('lists').selectAll().where('id', '=', list).execute();
  expect([stored!.name, stored!.header]).toEqual(['list erased.csv', ['Name', 'erased']]);
  const log = await db.selectFrom('audit').select('subject_name').where('subject_id', '=', id).execute();
  expect(log).toEqual([{ subject_name: 'list erased.csv' }]);
});

it('keeps a name within 200 characters', async () => {
  const id = await makeBatch();
  await changeBatch(id, { name: `${'é'.repeat(196)} a@b` });
  expect(await eraseAddress(db, accountId, 'a@b', OWNER)).toMatchObject({ names: 1 });
  expect((await batchOf(db, id)).name).toBe(`${'é'.repeat(196)} era`);
});

it('tells which URLs and Idempotency-Keys have the address, and leaves them', async () => {
  const id = await makeBatch({ addresses: ['bo@example.org'] });
  const url = 'https://example.net/done?user=ada.lovelace%40example.org';
  await changeBatch(id, { url });
  await storeResponse(`for ${ADA}`, 'bo@example.org');
  const { urls, keys, responses, rows } = await findAddress(db, accountId, ADA);
  expect([urls, keys, responses, rows]).toEqual([[{ id, name: null, url }], 1, [], []]);
  expect(await eraseAddress(db, accountId, ADA, OWNER)).toMatchObject({ results: 0, responses: 0, names: 0 });
  expect(await findAddress(db, accountId, ADA)).toMatchObject({ urls: [{ url }], keys: 1 });
});

it('leaves a download whole, without the address', async () => {
  const id = await makeBatch({ downloadable: true });
  await eraseAddress(db, accountId, ADA, OWNER);
  const response_fields = ['email', 'state'];
  const download = { account_id: '', id, distinct_total: 3, response_fields, completed_at: new Date() };
  const { csv } = await unzip(await buffer(openArchive(db, download)));
  expect(csv).toBe('email,state\r\nbo@example.org,deliverable\r\nada.lovelace@exmaple.org,deliverable\r\n');
});

it('leaves an empty list of results if there was one address only', async () => {
  const id = await makeBatch({ addresses: [ADA] });
  await eraseAddress(db, accountId, ADA, OWNER);
  const { emails, total_counts } = await status(id);
  expect(emails).toEqual([]);
  expect(total_counts).toMatchObject({ deliverable: 1, duplicate: 1, processed: 2, total: 2 });
  // What is erased is not found again.
  expect((await findAddress(db, accountId, ADA)).rows).toEqual([]);
});

it('leaves running batches and their lists alone, and erases drafts', async () => {
  const id = await makeBatch({ isCompleted: false });
  const running = await makeList(id, [[['Ada', ADA], 0]]);
  const draft = await makeList(null, [[['Ada', ADA], null]]);
  const found = await findAddress(db, accountId, ADA);
  expect(found.rows).toMatchObject([{ as: 'address', result: null, batch: { id, completed_at: null } }]);
  expect(found.listRows.map(({ list }) => [list.id, list.is_open])).toEqual([
    [running, true],
    [draft, false],
  ]);
  expect(await eraseAddress(db, accountId, ADA, OWNER)).toEqual({ ...NOTHING, list_rows: 1 });
  expect(await cellsOf(running)).toEqual([[['Ada', ADA], 0]]);
  expect(await cellsOf(draft)).toEqual([[[], null]]);
});

it('erases nothing of another account', async () => {
  await makeBatch();
  await storeResponse('one', ADA);
  const stranger = await makeAccount(db);
  const before = await dump();
  expect(await eraseAddress(db, stranger, ADA, OWNER)).toEqual(NOTHING);
  await db.deleteFrom('audit').execute();
  expect(await dump()).toBe(before);
});

it('does not carry out a request again whose response was erased', async () => {
  const repeat = await storeResponse('one', ADA);
  await eraseAddress(db, accountId, ADA, OWNER);
  const outcome = await repeat();
  expect(outcome).toMatchObject({ kind: 'response', isRepeated: true, response: { status: 404 } });
  expect(JSON.stringify(outcome)).toContain('was erased by the owner');
});

it('counts live verifications, which nobody can read without the address', async () => {
  const { live } = await startLive(db, async ({ address }) => ({ result: resultOf(address), evidence: [] }));
  await live.verify({ accountId, address: ADA, smtp: true, acceptAll: false, timeoutMs: 5000, isKept: true });
  expect((await findAddress(db, accountId, ADA)).verifications).toBe(1);
  expect((await findAddress(db, accountId, ADA.toLowerCase())).verifications).toBe(0);
  expect(await dump()).not.toContain('lovelace');
  await live.stop(0);
});

it('finds an address in the last of many rows, and passes over batches that were emptied', async () => {
  // One more than a statement looks through.
  const addresses = [...addressesAt(10_000), 'Zoë@Example.org'];
  await makeBatch({ addresses, isCompleted: false });
  const emptied = await makeBatch({ addresses: ['zoë@example.org'] });
  await changeBatch(emptied, { emptied_at: new Date() });
  const found = await findAddress(db, accountId, 'ZOË@example.org');
  expect(found.rows.map(({ place }) => place)).toEqual([10_000]);
});

it('passes over what only looks like the address, and finds a row of a list by its place', async () => {
  const id = await makeBatch({ addresses: [`x${ADA}`, ADA, 'bo@example.org'] });
  const list = await makeList(id, [
    [['Longer', `x${ADA}`], 0],
    [['Written otherwise', 'ada.lovelace at example.org'], 1],
    [['Longer, without a place', `x${ADA}`], null],
  ]);
  const empty = await makeList(null, [[[ADA], null]]);
  await db.deleteFrom('list_rows').where('list_id', '=', empty).execute();
  await storeResponse('longer', `x${ADA}`);
  const found = await findAddress(db, accountId, ADA);
  expect(found.rows.map(({ place, as }) => [place, as])).toEqual([
    [1, 'address'],
    [2, 'suggestion'],
  ]);
  expect(found.listRows.map(({ list: { id: of }, number }) => [of, number])).toEqual([[list, 1]]);
  expect(found.responses).toEqual([]);
});

it('erases a draft that replaces another one between the search and the erasure', async () => {
  const before = await makeList(null, [[['Ada', ADA], null]]);
  const bytes = Buffer.from(ADA);
  await db.insertInto('list_files').values({ list_id: before, number: 0, bytes }).execute();
  const erasing = await eraseAfter(() => readAgain(database.connect(1), before));
  expect(erasing).toMatchObject({ list_rows: 1 });
  expect(await db.selectFrom('list_files').select('list_id').execute()).toEqual([]);
  const drafts = await db.selectFrom('lists').select('id').where('account_id', '=', accountId).execute();
  expect(drafts).not.toEqual([{ id: before }]);
  expect(await Promise.all(drafts.map(({ id }) => cellsOf(id)))).toEqual([[[[], null]]]);
});

it('does not empty the list of a batch that starts between the search and the erasure', async () => {
  const draft = await makeList(null, [[['Ada', ADA], null]]);
  const erasing = await eraseAfter(async () => {
    const batch_id = await makeBatch({ isCompleted: false });
    await db.updateTable('lists').set({ batch_id }).where('id', '=', draft).execute();
    await db.updateTable('list_rows').set({ place: 0 }).where('list_id', '=', draft).execute();
  });
  expect(erasing).toMatchObject({ list_rows: 0 });
  expect(await cellsOf(draft)).toEqual([[['Ada', ADA], 0]]);
});

it('writes nothing that a deletion has overtaken', async () => {
  const id = await makeBatch();
  const [erased] = await Promise.all([
    eraseAddress(db, accountId, ADA, OWNER),
    sql`delete from batches where id = ${id}`.execute(database.connect(1)),
  ]);
  expect([0, 2]).toContain(erased.results);
});
