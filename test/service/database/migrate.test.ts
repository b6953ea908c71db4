import { createHash, randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { DatabaseError } from '../../../src/service/database/database-error.ts';
import { MIGRATIONS, migrate, migrationsOf } from '../../../src/service/database/migrate.ts';
import { takeKey } from '../../../src/service/idempotency/idempotency-store.ts';
import { testDatabase } from '../support/database.ts';
import { describeSchema } from '../support/describe-schema.ts';

const database = await testDatabase(afterAll, { empty: true });

it('runs each migration once when several processes start together', async () => {
  const processes = [1, 2, 3, 4, 5].map(() => database.connect(2));
  const ran = await Promise.all(processes.map((db) => migrate(db)));
  expect(ran.flat()).toEqual(Object.keys(MIGRATIONS));
  expect(await migrationsOf(database.db)).toEqual(Object.keys(MIGRATIONS));
});

it('makes the schema of the golden file', async () => {
  await expect(await describeSchema(database.db)).toMatchFileSnapshot('schema.golden.txt');
});

it('changes nothing when the schema is up to date', async () => {
  const before = await describeSchema(database.db);
  expect(await migrate(database.db)).toEqual([]);
  expect(await describeSchema(database.db)).toBe(before);
});

/** A database of an earlier version, in which an account has written something, and which was migrated. */
async function migrateFrom(version: string, written: RawBuilder<unknown>) {
  const { db } = await testDatabase(onTestFinished, { empty: true });
  await migrate(db, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < version)));
  await sql`
    insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
    values ('a', 'a', 'a', 'x', 'whsec_x')
  `.execute(db);
  await written.execute(db);
  await migrate(db);
  return db;
}

it('gives older batches with more than 1,000 entries a download', async () => {
  const batches = sql`
    insert into batches (id, account_id, mode, total, distinct_total, retries)
    select lpad(total::text, 24, '0'), 'a', 'test', total, 1, true from unnest('{1000,1001,1002}'::integer[]) as total
  `;
  const db = await migrateFrom('0007', batches);
  const { rows } = await sql`select download_name as name from batches order by total`.execute(db);
  const name = expect.stringMatching(/^[\w-]{43}$/);
  expect(rows).toEqual([{ name: null }, { name }, { name }]);
  expect(rows[1]).not.toEqual(rows[2]);
});

it('keeps the responses for an Idempotency-Key of a version that did not store their scope', async () => {
  const response = sql`
    insert into idempotency (account_id, key, request, status, body, process_id)
    values ('a', 'k', sha256('k'), 200, '{}', gen_random_uuid())
  `;
  const db = await migrateFrom('0015', response);
  for (const mode of ['test', 'live'] as const) {
    const request = createHash('sha256').update('k').digest();
    const keyed = { accountId: 'a', mode, route: '/v1/verify', key: 'k', request } as const;
    expect(await takeKey(db, keyed, randomUUID())).toEqual({ request, status: 200, body: '{}' });
  }
});

it('leaves no trace of a migration that fails', async () => {
  const before = await describeSchema(database.db);
  const broken = {
    ...MIGRATIONS,
    '9000-broken': {
      up: async (db: Kysely<unknown>) => {
        await sql`create table half_done (id text)`.execute(db);
        await sql`select 1 / 0`.execute(db);
      },
    },
  };
  await expect(migrate(database.db, broken)).rejects.toMatchObject({ code: '22012' });
  expect(await describeSchema(database.db)).toBe(before);
});

it('refuses a database that a newer version has migrated', async () => {
  const newer = { ...MIGRATIONS, '9001-newer': { up: async () => {} } };
  expect(await migrate(database.db, newer)).toContain('9001-newer');
  const refused = migrate(database.db);
  await expect(refused).rejects.toBeInstanceOf(DatabaseError);
  await expect(refused).rejects.toThrow(
    'The database has migration 9001-newer, which this version does not know. Start the version that made it, or a newer one.',
  );
});
