/** How many rows one statement changes or reads. Each holds its locks until it ends, and a time limit ends a long one. */
import { sql } from 'kysely';
import pg from 'pg';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { countPoison, shortenRetention } from '../../../src/service/batch/batch-store.ts';
import { giveUpLate } from '../../../src/service/batch/callbacks/callback-store.ts';
import { DEFAULT_DURATIONS } from '../../../src/service/config/sections/durations-section.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import {
  attachBatch,
  deleteDraft,
  emptyListRows,
  forgetRows,
  readLeftOut,
} from '../../../src/service/lists/list-store.ts';
import { removeApp } from '../../../src/service/oauth/apps/manage/manage-apps.ts';
import { makeAccount } from '../support/account.ts';
import { createBatch } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { explainAll } from '../support/explained-database.ts';

const MOST = 5_000;
const MANY = 5_200;

const database = await testDatabase();
const { db } = database;

await sql`
  create table changes (name text, rows integer);
  create function note_change() returns trigger language plpgsql as $$
  begin
    insert into changes select tg_table_name, count(*) from changed;
    return null;
  end
  $$
`.execute(db);
for (const table of ['batches', 'callbacks', 'lists', 'list_rows', 'token_families'])
  for (const kind of [sql`update`, sql`delete`])
    await sql`
      create trigger ${kind}_noted after ${kind} on ${sql.table(table)} referencing old table as changed
      for each statement execute function note_change()
    `.execute(db);

beforeEach(async () => {
  await sql`truncate changes`.execute(db);
});

/** How many rows of a table were changed, and the most by one statement. */
async function changesOf(table: string): Promise<{ all: number; most: number }> {
  const { rows } = await sql<{ all: number; most: number }>`
    select coalesce(sum(rows), 0)::integer as all, coalesce(max(rows), 0) as most from changes where name = ${table}
  `.execute(db);
  return rows[0]!;
}

let lists = 0;
async function makeDraft(accountId: string, rows: number): Promise<string> {
  lists += 1;
  const id = lists.toString(16).padStart(24, '0');
  await sql`
    insert into lists (id, account_id, name, columns, row_count, address_column)
    values (${id}, ${accountId}, 'list.csv', 1, ${rows}, 0)
  `.execute(db);
  await sql`
    insert into list_rows (list_id, number, cells)
    select ${id}, number, json_build_array('person-' || number || '@shop.example')
    from generate_series(0, ${rows - 1}::integer) as number
  `.execute(db);
  return id;
}

type Start = Omit<Parameters<typeof attachBatch>[2], 'name' | 'columns' | 'places' | 'several'>;

/** Makes a draft the list of a batch. */
const attach = (id: string, start: Start) => {
  const list = { id, upload_id: null, findings: { addresses: [] } };
  const more = { name: 'list.csv', columns: [0], places: start.numbers, several: undefined };
  return attachBatch(db, list, { ...start, ...more });
};

const makeBatches = (accountId: string, count: number, isCompleted: boolean) => sql`
  insert into batches (
    id, account_id, mode, total, distinct_total, retries, url, completed_at, expires_at, reason_counts
  )
  select substr(md5(${accountId} || number), 1, 24), ${accountId}, 'live', 1, 1, true, 'https://shop.example/',
    case when ${isCompleted} then now() - number % 2 * interval '2 days' end,
    case when ${isCompleted} then now() + interval '10 days' + number / 7 * interval '1 minute' end,
    case when ${isCompleted} then '{}'::jsonb end
  from generate_series(1, ${count}::integer) as number
`;

it('stays small when a long list is discarded', async () => {
  const accountId = await makeAccount(db);
  const id = await makeDraft(accountId, MANY);
  expect(await deleteDraft(db, accountId, { id, upload_id: null })).toBe(true);
  expect(await changesOf('list_rows')).toEqual({ all: 0, most: 0 });
  while (await forgetRows(db));
  expect(await changesOf('list_rows')).toEqual({ all: MANY, most: MOST });
  expect(await db.selectFrom('lists').select('id').where('id', '=', id).execute()).toEqual([]);
});

it('stays small when a long list becomes a batch, and when an address is erased in all its rows', async () => {
  const accountId = await makeAccount(db);
  const id = await makeDraft(accountId, MANY);
  const { id: batchId } = await createBatch(db, 1, { accountId });
  const numbers = Array.from({ length: MANY }, (_, number) => number);
  await attach(id, { batchId, header: null, titles: null, rows: MANY, numbers, blank: 0 });
  expect(await changesOf('list_rows')).toEqual({ all: MANY, most: MOST });
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::integer as wrong from list_rows where list_id = ${id} and place is distinct from number
  `.execute(db);
  expect(rows).toEqual([{ wrong: 0 }]);
  await sql`truncate changes`.execute(db);
  expect(await emptyListRows(db, id, numbers)).toBe(MANY);
  expect(await changesOf('list_rows')).toEqual({ all: MANY, most: MOST });
});

it('stays small when results are kept for a shorter time, and shortens each batch once', async () => {
  const accountId = await makeAccount(db);
  await makeBatches(accountId, 600, true).execute(db);
  expect(await shortenRetention(db, accountId, 86_400)).toEqual({ shortened: 600, ended: 300 });
  expect(await changesOf('batches')).toEqual({ all: 600, most: 60 });
  expect(await shortenRetention(db, accountId, 86_400)).toEqual({ shortened: 0, ended: 0 });
  expect(await shortenRetention(db, accountId, 3_600)).toEqual({ shortened: 300, ended: 0 });
});

it('stays small when the account of many open batches is deleted', async () => {
  const accountId = await makeAccount(db);
  await makeBatches(accountId, 1_100, false).execute(db);
  await deleteAccount(db, accountId, 0);
  const left = db.selectFrom('batches').select('id').where('account_id', '=', accountId);
  expect(await left.execute()).toEqual([]);
  expect((await changesOf('batches')).most).toBe(500);
});

it('stays small when an app is deleted that many accounts have authorised', async () => {
  const accountId = await makeAccount(db);
  await sql`
    insert into apps (client_id, account_id, name, allows_device) values ('app_of_many', ${accountId}, 'Many', false)
  `.execute(db);
  await sql`
    insert into token_families (client_id, account_id, handle, refresh_token, access_token, access_expires_at)
    select 'app_of_many', ${accountId}, sha256(('h' || number)::bytea), sha256('r'), sha256(('a' || number)::bytea), now()
    from generate_series(1, 1200) as number
  `.execute(db);
  expect(await removeApp(db, { kind: 'operator' }, { clientId: 'app_of_many' })).toBe(true);
  expect(await changesOf('token_families')).toEqual({ all: 1_200, most: 400 });
});

it('stays small when callbacks are given up after a long outage', async () => {
  const accountId = await makeAccount(db);
  await makeBatches(accountId, 1_100, true).execute(db);
  await sql`
    insert into callbacks (batch_id, message_id, due_at, attempt, tried_at, is_retry, is_ready)
    select id, 'msg_' || id, now() - interval '1 hour', 1, now(), true, true from batches
    where account_id = ${accountId}
  `.execute(db);
  await sql`update callbacks set made_at = now() - interval '30 days'`.execute(db);
  await sql`truncate changes`.execute(db);
  expect(await giveUpLate(db, DEFAULT_DURATIONS)).toHaveLength(1_000);
  expect(await giveUpLate(db, DEFAULT_DURATIONS)).toHaveLength(100);
  expect(await changesOf('callbacks')).toEqual({ all: 1_100, most: 1_000 });
});

/** How many buffers a statement may read that finds a few rows of a large table. All of its rows are more than 50. */
const FEW_BUFFERS = 20;

/** How many buffers the only statement reads. It gets no rows. */
async function buffersOf(run: (explained: typeof db) => Promise<unknown>): Promise<number> {
  const explained = explainAll(database.url);
  await run(explained.db).catch(() => {});
  const buffers = explained.take();
  await explained.close();
  expect(buffers).toHaveLength(1);
  return buffers[0]!;
}

it('stays small when a page says which rows of a long list are not in the batch', async () => {
  const accountId = await makeAccount(db);
  const id = await makeDraft(accountId, MANY);
  const { id: batchId } = await createBatch(db, 1, { accountId });
  const titled = { header: ['Email'], titles: 0, rows: MANY - 1 };
  await attach(id, { batchId, ...titled, numbers: [0, 1], blank: 7 });
  await emptyListRows(db, id, [1, 2, 3]);
  // The titles were a row.
  expect(await readLeftOut(db, batchId)).toEqual({
    ...{ rows: MANY - 1, erased: 3, blank: 7, columns: null, outside: null, isWorkbook: false },
  });
  expect(await buffersOf((explained) => readLeftOut(explained, batchId))).toBeLessThan(FEW_BUFFERS);
});

it('stays small when the addresses of a large batch are counted that processes have died over', async () => {
  const { id } = await createBatch(db, MANY);
  await sql`
    update batch_rows set reason = 'unexpected_error', result = '{}', deaths = case when place < 2 then 3 else 0 end
    where batch_id = ${id}
  `.execute(db);
  await sql`analyze batch_rows`.execute(db);
  const counts = { unexpected_error: MANY };
  expect(await countPoison(db, id, counts)).toBe(2);
  expect(await buffersOf((explained) => countPoison(explained, id, counts))).toBeLessThan(FEW_BUFFERS);
});

interface PlanNode {
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** How many pairs of rows its joins have compared in vain, with those of its triggers. */
async function comparedBy(client: pg.Client, statement: string): Promise<number> {
  const plans: PlanNode[] = [];
  const note = ({ message = '' }: { readonly message?: string | undefined }) => {
    const json = /plan:\n(\{.*\})$/s.exec(message)?.[1];
    if (json) plans.push((JSON.parse(json) as { Plan: PlanNode }).Plan);
  };
  client.on('notice', note);
  await client.query(statement);
  client.off('notice', note);
  expect(plans.length).toBeGreaterThan(2);
  const comparedIn = (node: PlanNode): number =>
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node.Plans ?? []).reduce((sum, plan) => sum + comparedIn(plan), 0);
  return plans.reduce((sum, plan) => sum + comparedIn(plan), 0);
}

it.each([
  ['end', "process_id = null, reason = 'timeout', result = '{}'"],
  ['are released', 'process_id = null'],
])('stays small when many addresses %s in a connection that began with one', async (_what, change) => {
  const { id } = await createBatch(db, MANY);
  await sql`update batch_rows set process_id = gen_random_uuid() where batch_id = ${id}`.execute(db);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
    set auto_explain.log_nested_statements = on; set auto_explain.log_level = notice;
    set auto_explain.log_format = json; set auto_explain.log_timing = off
  `);
  const changeAt = (places: string) =>
    `update batch_rows set ${change} where batch_id = '${id}' and place ${places}`;
  await comparedBy(client, changeAt('= 0'));
  expect(await comparedBy(client, changeAt('> 0'))).toBeLessThan(MANY);
});
