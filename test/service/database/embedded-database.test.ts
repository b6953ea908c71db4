/** The database in a folder, from opening to closing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../../src/service/database/database.ts';
import { DatabaseError } from '../../../src/service/database/database-error.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { emptyRoom, isAlive, postmasterOf, preparedFolder, room } from './embedded/running.ts';

const opened: Database[] = [];

function open(folder: string, options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase({ folder }, { log: silentLog, ...options });
  opened.push(database);
  return database;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});
afterAll(emptyRoom);

it('keeps its rows from one opening to the next', async () => {
  const folder = await preparedFolder();
  const first = open(folder);
  await first.ready;
  expect(first.isReady()).toBe(true);
  expect(first.what).toMatch(/^embedded PostgreSQL 18\.\d+ in \//);
  await sql`create table kept as select 1 as one`.execute(first.db);
  const pid = postmasterOf(folder);
  await first.close();
  expect(isAlive(pid)).toBe(false);
  const second = open(folder);
  await second.ready;
  expect((await sql`select one from kept`.execute(second.db)).rows).toEqual([{ one: 1 }]);
});

it('is shared with a visit, which leaves the server running', async () => {
  const folder = await preparedFolder();
  const service = open(folder);
  await service.ready;
  const visit = open(folder, { visit: true });
  await visit.ready;
  await sql`create table shared as select 1 as one`.execute(visit.db);
  await visit.close();
  expect((await sql`select one from shared`.execute(service.db)).rows).toEqual([{ one: 1 }]);
});

it('comes back after kill -9 of its server', async () => {
  const folder = await preparedFolder();
  const database = open(folder);
  await database.ready;
  await sql`create table kept as select 1 as one`.execute(database.db);
  process.kill(postmasterOf(folder), 'SIGKILL');
  await vi.waitUntil(() => !database.isReady(), { interval: 5 });
  await vi.waitUntil(() => database.isReady(), { interval: 20 });
  expect((await sql`select one from kept`.execute(database.db)).rows).toEqual([{ one: 1 }]);
});

it('stops the server when it is closed before it is ready', async () => {
  const folder = await preparedFolder();
  const database = open(folder);
  await database.close();
  await expect(database.ready).rejects.toBeInstanceOf(DatabaseError);
  expect(isUnavailable(await sql`select 1`.execute(database.db).catch((error) => error))).toBe(true);
  // The folder is free again.
  await open(folder).ready;
});

it('ends the start for a folder that cannot be used', async () => {
  const file = join(room, 'file');
  writeFileSync(file, 'not a folder');
  await expect(open(file).ready).rejects.toBeInstanceOf(DatabaseError);
});
