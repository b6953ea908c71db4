/** A fresh, migrated PostgreSQL database for each test file. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Kysely, PostgresDialect, type QueryResult, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, inject, vi } from 'vitest';
import { columnTypes } from '../../../src/service/database/column-types.ts';
import type { Db, Schema } from '../../../src/service/database/schema.ts';
import type { TestServer } from './global-setup.ts';
import { PATIENTLY } from './patience.ts';
import { databaseOnSameServer, runOnServer } from './server-commands.ts';

/** What PostgreSQL says if a database has connections. */
const IN_USE = '55006';

/** A database that belongs to one test file. */
export interface TestDatabase {
  readonly db: Db;
  readonly url: string;
  readonly name: string;
  /** Runs a statement, which is written like one of `sql`. */
  readonly run: (...statement: Parameters<typeof sql>) => Promise<QueryResult<unknown>>;
  /** A separate pool, like that of another process. `drop` closes it. The server knows it by its name. */
  connect(connections?: number, name?: string): Db;
  /** Closes the pools and drops the database. It fails if the tests have left a connection open. */
  drop(): Promise<void>;
}

/** A database that is dropped when the tests are over. @param whenOver `onTestFinished` for a database of one test */
export async function testDatabase(
  whenOver: (drop: () => Promise<void>) => void = afterAll,
  options: { empty?: boolean } = {},
): Promise<TestDatabase> {
  const database = await createTestDatabase(options);
  whenOver(() => database.drop());
  return database;
}

/** All rows of a table, as a dump of the database has them. Without rows, a test would look for nothing in nothing. */
export async function dumpOf(db: Db, table: string): Promise<string> {
  const read = sql<{ row: string }>`select t::text as row from ${sql.table(table)} as t`;
  const { rows } = await read.execute(db);
  if (rows.length === 0) throw new Error(`Expected rows in ${table}, got none.`);
  return rows.map(({ row }) => row).join('\n');
}

/** Empties tables before each test of a file. */
export function emptyBeforeEach(db: Db, ...tables: (keyof Schema)[]): void {
  beforeEach(async () => {
    for (const table of tables) await db.deleteFrom(table).execute();
  });
}

/** @param options `empty: true` leaves out the schema */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = await testServer();
  const name = `evw_test_${randomBytes(6).toString('hex')}`;
  const template = options.empty ? 'template0' : server.template;
  await runOnServer(server.url, `create database ${name} template ${template} strategy file_copy`);
  const url = databaseOnSameServer(server.url, name);
  const pools: Db[] = [];
  const open = (connections = 5, name = 'tests'): Db => {
    const db = openPool({ connectionString: url, max: connections, application_name: name });
    pools.push(db);
    return db;
  };
  const db = open();
  return {
    ...{ db, url, name, connect: open },
    run: (...statement) => sql(...statement).execute(db),
    async drop() {
      await Promise.all(pools.map((db) => db.destroy()));
      try {
        await dropUnused(server.url, name);
      } catch (error) {
        await runOnServer(server.url, `drop database if exists ${name} with (force)`);
        throw error;
      }
    },
  };
}

/** PostgreSQL waits 5 seconds for connections that are closing. On a busy machine, they may take longer. */
async function dropUnused(serverUrl: string, name: string): Promise<void> {
  const failed = await vi.waitFor(async () => {
    try {
      await runOnServer(serverUrl, `drop database ${name}`);
      return undefined;
    } catch (error) {
      if ((error as { code?: string }).code === IN_USE) throw error;
      return { error };
    }
  }, PATIENTLY);
  if (failed) throw failed.error;
}

/** A pool of which a test, or a process of a test, ends the connections on purpose. */
export function openPool(options: pg.PoolConfig): Db {
  const pool = new pg.Pool({ types: columnTypes, ...options });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** The server of this run, which starts with the first call. */
async function testServer(): Promise<TestServer> {
  const socket = inject('testServerSocket');
  if (!socket)
    throw new Error('Expected the global setup of the tests. Run vitest with the config of the project.');
  const answer = JSON.parse(await text(connect(socket))) as TestServer & { error?: string };
  if (answer.error) throw new Error(`The test database did not start: ${answer.error}`);
  return answer;
}
