import { type Kysely, sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { DatabaseError } from '../../../src/service/database/failure.ts';
import { MIGRATIONS, migrate, migrationsOf } from '../../../src/service/database/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeSchema } from '../support/describe-schema.ts';

const database = await createTestDatabase({ empty: true });
afterAll(() => database.drop());

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
  expect(await migrate(database.db, newer)).toEqual(['9001-newer']);
  const refused = migrate(database.db);
  await expect(refused).rejects.toBeInstanceOf(DatabaseError);
  await expect(refused).rejects.toThrow(
    'The database has migration 9001-newer, which this version does not know. Start the version that made it, or a newer one.',
  );
});
