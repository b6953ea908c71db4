import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { lockOpenRows } from '../../../../src/service/batch/batch-store.ts';
import { changeCredits, readLedger } from '../../../../src/service/credits/credit-store.ts';
import {
  COPIED_TABLES,
  copyDatabase,
  LEFT_TABLES,
} from '../../../../src/service/database/backup/copy-database.ts';
import { removeProcess } from '../../../../src/service/jobs/process-store.ts';
import { createKey, findByDigest } from '../../../../src/service/keys/key-store.ts';
import { createAccount } from '../../../../src/service/people/members/create-account.ts';
import { makeFirstProofKey } from '../../../../src/service/proof/roll-proof-key.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { creditsOf } from '../../support/account.ts';
import { storeBatch } from '../../support/batch.ts';
import { createTestDatabase, type TestDatabase, testDatabase } from '../../support/database.ts';
import { addProcess } from '../../support/process.ts';

const source = await testDatabase();
let target: TestDatabase;
beforeEach(async () => {
  target = await createTestDatabase();
});
afterEach(() => target.drop());

const account = await createAccount(source.db, { email: 'ada@example.com', passwordHash: 'x', credits: 5 });
if (typeof account === 'string') throw new Error('a new database has an account');
const { key } = await createKey(source.db, {
  account_id: account.id,
  kind: 'public',
  mode: 'live',
  name: 'Näme "with" \\ marks',
  trusted_domains: ['shop.example', 'a.example'],
  trusted_ips: [],
});
await makeFirstProofKey(source.db, 600);
for (let count = 0; count < 1200; count += 1) {
  await changeCredits(source.db, account.id, { amount: count % 2 ? -1 : 1, why: 'top-up', of: `${count}` });
}

/** Everything in a table, as text. */
const contentOf = async ({ db }: TestDatabase, table: string) => {
  const content = sql`select row_to_json(t)::text as row from ${sql.table(table)} as t order by 1`;
  return (await content.execute(db)).rows;
};

/** @param tables by default, all that are copied */
async function expectSameContent(tables: readonly string[] = COPIED_TABLES): Promise<void> {
  for (const table of tables) expect(await contentOf(target, table)).toEqual(await contentOf(source, table));
}

it('copies every row of every table that lasts, instead of the key that a service on the target has made', async () => {
  await makeFirstProofKey(target.db, 600);
  const copied = await copyDatabase(source.db, target.db);
  expect(copied).toMatchObject({ accounts: 1, ledger: 1201, keys: 1, key_values: 1, proof_keys: 1 });
  await expectSameContent();
});

it('copies addresses with characters that PostgreSQL cannot hold in a text', async () => {
  // A batch of a test key, before its addresses have results.
  const id = '0123456789abcdef01234567';
  const strange = ['a\u0000b@x.example', '\ud800@x.example', '"q\\"@x.example,('];
  await storeBatch(source.db, account.id, strange, { id, mode: 'test' });
  expect(await copyDatabase(source.db, target.db)).toMatchObject({ batches: 1, batch_rows: 3 });
  await expectSameContent(['batches', 'batch_rows', 'batch_progress']);
  const addresses = async ({ db }: TestDatabase) =>
    (await lockOpenRows(db, id, 9)).map(({ address }) => address);
  expect(await addresses(target)).toEqual(await addresses(source));
});

it('copies times and bytes between servers that write them differently', async () => {
  const writes = async ({ db, name }: TestDatabase, style: string, bytes: string) => {
    await sql.raw(`alter database ${name} set datestyle = '${style}'`).execute(db);
    await sql.raw(`alter database ${name} set bytea_output = '${bytes}'`).execute(db);
  };
  await writes(source, 'SQL, DMY', 'escape');
  onTestFinished(() => writes(source, 'ISO, MDY', 'hex'));
  await writes(target, 'SQL, MDY', 'escape');
  await copyDatabase(source.connect(), target.connect());
  await expectSameContent();
});

it('leaves a database that a service can go on with', async () => {
  await copyDatabase(source.db, target.db);
  expect((await findByDigest(target.db, digestOf(key), new Date()))?.account.id).toBe(account.id);
  await changeCredits(target.db, account.id, { amount: 7, why: 'top-up' });
  expect(await creditsOf(target.db, account.id)).toBe(12);
  expect((await readLedger(target.db, account.id, 1))[0]).toMatchObject({ amount: 7, balance: 12 });
});

it('knows every table of the schema', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like 'kysely%'
  `.execute(source.db);
  expect(rows.map(({ name }) => name).sort()).toEqual([...COPIED_TABLES, ...LEFT_TABLES].sort());
});

it('refuses a target that has accounts, and changes nothing there', async () => {
  await createAccount(target.db, { email: 'other@example.com', passwordHash: 'x' });
  const refused = 'Expected a target database without accounts';
  await expect(copyDatabase(source.db, target.db)).rejects.toThrow(refused);
  expect(await contentOf(target, 'ledger')).toEqual([]);
});

it('refuses while a service uses the source', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  await addProcess(source.db, id);
  await expect(copyDatabase(source.db, target.db)).rejects.toThrow('Stop it first');
  await removeProcess(source.db, id);
  expect(await contentOf(target, 'accounts')).toEqual([]);
});
