import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { deleteBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { renewStatistics } from '../../../src/service/database/statistics-store.ts';
import { createBatch } from '../support/batch.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { testDatabase } from '../support/database.ts';

const MANY = 300;

const database = await testDatabase();
/** One connection, which tells the server at once how many rows it has changed. */
const db = database.connect(1);
const tell = () => sql`select pg_stat_force_next_flush()`.execute(db);

/** How many rows PostgreSQL expects. */
async function expectedRows(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select reltuples::integer as count from pg_class where relname = 'batch_rows'
  `.execute(db);
  return rows[0]!.count;
}

it('looks again at a table that PostgreSQL has found empty, once it is full, and at no other', async () => {
  // Otherwise the server may be faster than the test.
  for (const table of ['batch_rows', 'batches'])
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = off)`.execute(db);
  const counted = countRoundTrips(database.url);
  onTestFinished(() => counted.close());
  const renew = async () => {
    await tell();
    await renewStatistics(counted.db);
    return counted.take().filter((statement) => statement.startsWith('analyze'));
  };
  const former = await createBatch(db, MANY);
  await sql`analyze`.execute(db);
  expect(await renew()).toEqual([]);
  await deleteBatch(db, { id: former.id }, { refundUnknown: true });
  await db.deleteFrom('batch_rows').execute();
  await sql`analyze batch_rows`.execute(db);
  expect(await renew()).toEqual([]);

  await createBatch(db, MANY);
  expect(await expectedRows()).toBe(0);
  expect(await renew()).toEqual(['analyze (skip_locked) "batch_rows"']);
  expect(await expectedRows()).toBe(MANY);
  expect(await renew()).toEqual([]);
});
