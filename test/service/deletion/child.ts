/**
 * A process for tests: it deletes, closes or stops something, and writes a line before each statement. The test kills it
 * after one of them.
 */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { tasksOf } from '../../../src/service/app/housekeeping.ts';
import { deleteBatch, stopBatch } from '../../../src/service/batch/manage/manage-batches.ts';
import { columnTypes } from '../../../src/service/database/column-types.ts';
import type { Schema } from '../../../src/service/database/schema.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import { clearUp } from '../support/clear-up.ts';
import { DEPS } from '../support/deps.ts';

const { DATABASE_URL, DO, ID = '', LEFT } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL!, max: 1, types: columnTypes });
let left = Number(LEFT);
pool.on('connect', (client) => {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  client.query = ((...parameters: unknown[]) => {
    left -= 1;
    // It is killed now.
    if (left < 0) {
      process.stdout.write('"reached"\n');
      return new Promise(() => {});
    }
    return query(...parameters);
  }) as typeof client.query;
});
const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });

const DEEDS: Readonly<Record<string, () => Promise<unknown>>> = {
  'delete account': () => deleteAccount(db, ID),
  'delete batch': () => deleteBatch(db, { id: ID }, { refundUnknown: true }),
  'stop batch': () => stopBatch(db, { id: ID }, DEPS.settings),
  'clear up': () => clearUp(tasksOf({ ...DEPS, db })),
};
await DEEDS[DO!]!();
process.stdout.write('"done"\n');
await new Promise(() => setInterval(() => {}, 1_000));
