/** Migrations while the version before serves requests, and while other processes wait for them or die. */
import { hostname } from 'node:os';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS, migrate } from '../../../src/service/database/migrate.ts';
import { buildIndexes, lockTables, type SchemaMigration } from '../../../src/service/database/migration.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import { findHolder, withSchemaLock } from '../../../src/service/database/schema-lock.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { makeAccount } from '../support/account.ts';
import { prepareChildren } from '../support/children.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { createScript, startStoredService, storeKey } from '../support/stored-service.ts';

vi.setConfig({ expect: { poll: { ...PATIENTLY, interval: 50 } } });

const children = await prepareChildren('test/service/database/migrating-child.ts');

const INDEX = 'accounts_by_name';
/** A transaction with this holds up no request but that of the same account, and no concurrent index passes it. */
const writes = sql`update accounts set owner_email = owner_email where id = (select min(id) from accounts)`;
const addsColumn: SchemaMigration = {
  up: async (db) => void (await sql`alter table accounts add column tried integer`.execute(db)),
};

async function world() {
  const database = await testDatabase(onTestFinished);
  const { db } = database;
  const accountId = await makeAccount(db, 100);
  const { key } = await storeKey(db, accountId, { mode: 'live' });
  const { app, ask } = await startStoredService(db, createScript());
  await app.ready();
  let sent = 0;
  return {
    ...{ database, db, accountId },
    /** Verifies an address, which changes the account. @returns the status */
    async verify() {
      sent += 1;
      const url = `/v1/verify?email=a${sent}@example.com`;
      return (await ask({ url, headers: { authorization: `Bearer ${key}` } })).statusCode;
    },
    /** An operator's transaction that stays open. */
    async open(statement = sql`select from accounts`) {
      const transaction = await database.connect(1).startTransaction().execute();
      await statement.execute(transaction);
      return transaction;
    },
  };
}

/** Waits until a statement of the schema waits for a lock. */
const untilBlocked = (db: Db, statement: RegExp) =>
  expect
    .poll(async () => {
      const { rows } = await sql<{ query: string }>`
        select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `.execute(db);
      return rows.map(({ query }) => query).join();
    })
    .toMatch(statement);

async function isValid(db: Db): Promise<boolean | undefined> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${INDEX})
  `.execute(db);
  return rows[0]?.isValid;
}

it('answers requests while a migration waits for a table that a long transaction reads', async () => {
  const { database, db, verify, open } = await world();
  const reader = await open();
  const log = vi.fn();
  const migrations = { ...MIGRATIONS, '9000-column': addsColumn };
  // It tries again once the requests are answered.
  const answered = [withResolvers(), withResolvers()];
  let seen = 0;
  let waits = 0;
  // A try that ends before it was seen is followed by another one at once.
  const wait = async () => (waits < seen ? answered[waits++]?.promise : undefined);
  const onWait = vi.fn();
  const migrating = migrate(database.connect(1), migrations, { log, wait, onWait });
  for (const { resolve } of answered) {
    await untilBlocked(db, /add column tried/);
    seen += 1;
    // They wait behind the migration, and the reader is still there when they are answered.
    expect(await Promise.all([verify(), verify(), verify()])).toEqual([200, 200, 200]);
    resolve();
  }
  const details = { migration: '9000-column', tries: 1 };
  expect(log).toHaveBeenCalledWith('warn', 'migration waits for a lock', details);
  expect(onWait).toHaveBeenLastCalledWith(true);
  expect(await findHolder(db)).toEqual({ host: hostname(), pid: process.pid, isWaiting: true });
  await reader.rollback().execute();
  expect(await migrating).toEqual(['9000-column']);
  expect(onWait).toHaveBeenLastCalledWith(false);
  expect(await findHolder(db)).toBeUndefined();
  expect(await verify()).toBe(200);
});

it('doubles the pauses between its tries, up to half a minute', async () => {
  const { database, open } = await world();
  const reader = await open();
  const pauses: number[] = [];
  const locks: SchemaMigration = {
    up: async (db) => void (await sql`lock table accounts in access exclusive mode nowait`.execute(db)),
  };
  const migrations = { ...MIGRATIONS, '9000-column': locks };
  const wait = async (ms: number) => {
    pauses.push(ms);
    if (pauses.length === 7) await reader.rollback().execute();
  };
  expect(await migrate(database.connect(1), migrations, { wait })).toEqual(['9000-column']);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('never makes a request the victim of a deadlock when it locks two tables', async () => {
  const { database, db, accountId, open } = await world();
  const locksTwo: SchemaMigration = { up: (connection) => lockTables(connection, 'accounts', 'keys') };
  const migrations = { ...MIGRATIONS, '9000-two': locksTwo };
  const reader = await open();
  const request = await open(sql`update keys set name = 'x'`);
  const migrating = migrate(database.connect(1), migrations, { wait: async () => {} });
  await untilBlocked(db, /lock table "accounts"/);
  // The request waits behind the migration, which then gets the first table, and needs the one of the request.
  const update = sql`update accounts set owner_email = owner_email where id = ${accountId}`.execute(request);
  await untilBlocked(db, /update accounts/);
  await reader.rollback().execute();
  await update;
  await request.commit().execute();
  expect(await migrating).toEqual(['9000-two']);
});

it('lets requests write while it builds an index', async () => {
  const { database, db, accountId, verify, open } = await world();
  const stranger = await makeAccount(db, 1);
  const writer = await open(sql`update accounts set owner_email = owner_email where id = ${stranger}`);
  const migrations = { ...MIGRATIONS, '9000-index': buildIndexes({ [INDEX]: 'on accounts (owner_email)' }) };
  const migrating = migrate(database.connect(1), migrations);
  await untilBlocked(db, /create index/);
  expect(await verify()).toBe(200);
  await sql`update accounts set owner_email = owner_email where id = ${accountId}`.execute(db);
  await writer.commit().execute();
  expect(await migrating).toEqual(['9000-index']);
  expect(await isValid(db)).toBe(true);
});

/** A process that builds an index, and waits for a transaction that writes. */
async function startBuilding() {
  const { database, db, open } = await world();
  const writer = await open(writes);
  const child = children.start({ DATABASE_URL: database.url });
  const { pid } = await child.next<{ pid: number }>();
  await untilBlocked(db, /create index/);
  return { database, db, writer, child, pid };
}

it('builds an index again that a killed process has left invalid', async () => {
  const { database, db, writer, child, pid } = await startBuilding();
  await child.kill();
  // The server notices that the process has gone, and releases its lock.
  const ofChild = sql`select from pg_stat_activity where application_name like ${`migrates: ${pid} %`}`;
  await expect.poll(async () => (await ofChild.execute(db)).rows).toEqual([]);
  expect(await isValid(db)).toBe(false);
  await writer.rollback().execute();

  const next = children.start({ DATABASE_URL: database.url });
  await next.next();
  expect(await next.next()).toEqual({ ran: ['9000-index'] });
  expect(await isValid(db)).toBe(true);
});

it('says each 10 seconds which process it waits for', async () => {
  const { database, writer, child, pid } = await startBuilding();
  let waited = 0;
  const lines: [number, unknown[]][] = [];
  const log = (...line: unknown[]) => void lines.push([waited, line]);
  const stopped = new AbortController();
  const wait = async (ms: number) => {
    waited += ms;
    if (waited > 20_000) throw stopped.signal.reason;
  };
  stopped.abort('stopped');
  await expect(migrate(database.connect(1), MIGRATIONS, { log, wait })).rejects.toBe('stopped');
  const line = ['info', 'waiting for migration', { host: hostname(), pid }];
  expect(lines).toEqual([0, 10_000, 20_000].map((after) => [after, line]));

  await writer.rollback().execute();
  expect(await child.next()).toEqual({ ran: ['9000-index'] });
});

it('keeps the migrations before one that fails', async () => {
  const { db } = await world();
  const fails: SchemaMigration = {
    up: async (connection) => void (await sql`select 1 / 0`.execute(connection)),
  };
  const migrations = { ...MIGRATIONS, '9000-column': addsColumn, '9001-fails': fails };
  await expect(migrate(db, migrations)).rejects.toMatchObject({ code: '22012' });
  expect(await migrate(db, { ...MIGRATIONS, '9000-column': addsColumn })).toEqual([]);
});

it('calls a migration that runs no waiting one', async () => {
  const { database, db } = await world();
  const holder = await withSchemaLock(database.connect(1), () => findHolder(db));
  expect(holder).toEqual({ host: hostname(), pid: process.pid, isWaiting: false });
});
