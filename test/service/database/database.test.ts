import { sql } from 'kysely';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { connectionOptions, serverAt } from '../../../src/service/database/connection.ts';
import { type Database, openDatabase } from '../../../src/service/database/database.ts';
import { DatabaseError } from '../../../src/service/database/database-error.ts';
import { failureOfDatabase } from '../../../src/service/database/database-failure.ts';
import { migrationsOf } from '../../../src/service/database/migrate.ts';
import { checkVersion } from '../../../src/service/database/prepare-database.ts';
import { PACE } from '../../../src/service/database/reachability.ts';
import { isUnavailable } from '../../../src/service/database/unavailable.ts';
import { failureOf as failure } from '../../message-of.ts';
import { untilBlocked } from '../support/blocked.ts';
import { testDatabase } from '../support/database.ts';
import { holdTimers } from '../support/held-timers.ts';
import { PATIENTLY } from '../support/patience.ts';
import { startPostgresServer } from '../support/postgres-server.ts';

const opened: Database[] = [];

/** Checks the server often, so that no test waits for a check, and waits long for a server that is busy. */
function open(url: string, options: Partial<Parameters<typeof openDatabase>[1]> = {}): Database {
  const database = openDatabase(
    { url },
    { log: silentLog, poolSize: 4, pace: { everyMs: 20, patienceMs: PATIENTLY.timeout }, ...options },
  );
  opened.push(database);
  return database;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
});

describe('a server that is there', async () => {
  const test = await testDatabase(afterAll, { empty: true });

  it('is migrated before it is ready', async () => {
    const database = open(test.url);
    expect(database.isReady()).toBe(false);
    await database.ready;
    expect(database.isReady()).toBe(true);
    expect(await migrationsOf(database.db)).toContain('0001-accounts');
  });

  it('fails queries before it is ready as an outage', async () => {
    const database = open(test.url);
    const early = await failure(database.db.selectFrom('accounts').selectAll().execute());
    expect(isUnavailable(early)).toBe(true);
    await database.ready;
    expect(await database.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  it('does not call the database away when no connection of the pool becomes free in time', async () => {
    const logged: unknown[] = [];
    const timers = holdTimers((ms) => ms === 4_321);
    onTestFinished(() => void vi.restoreAllMocks());
    const database = open(test.url, {
      ...{ poolSize: 1, limits: { connectionTimeoutMillis: 4_321 } },
      log: (_level, event) => void logged.push(event),
    });
    await database.ready;
    logged.length = 0;
    await database.db.connection().execute(async (only) => {
      await sql`select`.execute(only);
      const late = failure(sql`select`.execute(database.db));
      await vi.waitUntil(() => timers.set.length > 0, PATIENTLY);
      timers.fire();
      expect(failureOfDatabase(await late, silentLog)).toMatchObject({ code: 'databaseSlow', status: 503 });
    });
    expect([database.isReady(), logged]).toEqual([true, []]);
    expect(database.poolCounts()!.failed).toMatchObject({ away: 0, limit: 1 });
  });

  it('reads bigint as a number, and refuses one that is not exact', async () => {
    const { db, ready } = open(test.url);
    await ready;
    const { rows } = await sql`select 9007199254740991::bigint as value`.execute(db);
    expect(rows).toEqual([{ value: 9007199254740991 }]);
    await expect(sql`select 9007199254740992::bigint`.execute(db)).rejects.toThrow(RangeError);
  });

  it.each([
    ['53100', 'full', 'full'],
    ['57014', 'limit', 'away'],
    ['40001', 'refused', 'away'],
  ] as const)('counts an error %s as "%s", and knows the trouble "%s"', async (code, kind, trouble) => {
    const database = open(test.url);
    await database.ready;
    const raise = `do $$ begin raise exception using errcode = '${code}'; end $$`;
    expect(await failure(sql.raw(raise).execute(database.db))).toMatchObject({ code });
    expect(database.trouble()).toBe(trouble);
    const failed = { away: 0, full: 0, limit: 0, refused: 0, [kind]: 1 };
    expect(database.poolCounts()).toMatchObject({ failed });
    await vi.waitUntil(() => database.trouble() === 'away', PATIENTLY);
    expect(database.isReady()).toBe(true);
  });

  it('describes itself without user and password', () => {
    const { what } = open('postgres://ada:geheim@db.example:6543/shop?sslmode=disable');
    expect(what).toBe('postgres://db.example:6543/shop');
    expect(open('postgres://ada:geheim@[::1]/shop').what).toBe('postgres://[::1]:5432/shop');
    expect(open('postgres://ada:geheim@/shop?host=/run/pg').what).toBe('postgres:///shop?host=/run/pg');
  });

  it.each(['prefer', 'require', 'verify-ca'])(
    'requires TLS for sslmode=%s, and prints no warning besides its own message',
    async (mode) => {
      const warn = vi.spyOn(process, 'emitWarning');
      onTestFinished(() => warn.mockRestore());
      const { ready } = open(`${test.url}&sslmode=${mode}`);
      await expect(ready).rejects.toThrow('cannot be used: The server does not support SSL connections.');
      expect(warn).not.toHaveBeenCalled();
    },
  );

  it('stays ready, and logs nothing, when the server refuses a statement for a full disk', async () => {
    const log = vi.fn();
    const database = open(test.url, { log });
    await database.ready;
    for (let tries = 0; tries < 3; tries += 1) {
      const full = sql`do $$ begin raise exception using errcode = '53100'; end $$`;
      expect(isUnavailable(await failure(full.execute(database.db)))).toBe(true);
      expect(database.isReady()).toBe(true);
    }
    expect(log.mock.calls.map(([, event]) => event)).toEqual(['database there']);
  });

  it('is not ready while it is read-only, and says so once', async () => {
    const other = await testDatabase(onTestFinished);
    const log = vi.fn();
    const database = open(other.url, { log });
    await database.ready;
    const end = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${other.name}`;
    const set = async (setting: string) => {
      await sql.raw(`alter database ${other.name} ${setting}`).execute(test.db);
      await end.execute(test.db);
    };
    const away = () => log.mock.calls.filter(([, event]) => event === 'database away');
    const errors = () => away().map(([, , { error }]) => error);
    // A fail-over ends the connections first. The server that comes back is a standby.
    await set('with allow_connections false');
    await vi.waitUntil(() => errors().length > 0, PATIENTLY);
    expect(errors()).not.toContain('25006');
    await sql.raw(`alter database ${other.name} set default_transaction_read_only = on`).execute(test.db);
    await set('with allow_connections true');
    await vi.waitUntil(() => errors().includes('25006'), PATIENTLY);
    expect(away().at(-1)).toMatchObject(['warn', 'database away', { what: database.what }]);
    // A failed change must not look like a database that comes and goes.
    const change = () => failure(sql`delete from accounts`.execute(database.db));
    expect(isUnavailable(await change())).toBe(true);
    expect(isUnavailable(await change())).toBe(true);
    expect(database.isReady()).toBe(false);
    await set('set default_transaction_read_only = off');
    await vi.waitUntil(() => database.isReady(), PATIENTLY);
    expect(errors().filter((error) => error === '25006')).toHaveLength(1);
    await database.close();
  });

  it('refuses a URL that cannot be parsed, without quoting it', () => {
    const attempt = () => open('postgres://ada:ge#he@im:x/shop?host=%');
    expect(attempt).toThrow(DatabaseError);
    expect(attempt).toThrow(/^(?!.*(ada|im:x)).*Percent-encode/s);
  });

  it('is ready again after an operator has ended its connections', async () => {
    const events: string[] = [];
    const database = open(test.url, { log: (_level, event) => void events.push(event) });
    await database.ready;
    const slow = failure(sql`select pg_sleep(60)`.execute(database.db));
    await vi.waitFor(async () => expect(await endOthers(test.db, 'pg_sleep')).toBeGreaterThan(0), PATIENTLY);
    expect(isUnavailable(await slow)).toBe(true);
    // The check that follows at once may have ended already, so `isReady` is no witness.
    await vi.waitUntil(() => database.isReady(), { interval: 10 });
    expect(events).toEqual(['database there', 'database away', 'database there']);
    await sql`select 1`.execute(database.db);
  });

  it('stays ready when an operator ends the connection that checks the server', async () => {
    const log = vi.fn();
    const database = open(test.url, { log });
    await database.ready;
    const checks = async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_stat_activity where datname = current_database() and query like '%transaction_read_only%' and pid <> pg_backend_pid()
      `.execute(test.db);
      return rows.map(({ pid }) => pid);
    };
    await vi.waitUntil(async () => (await checks()).length === 1, PATIENTLY);
    const [before] = await checks();
    await sql`select pg_terminate_backend(${before}::integer)`.execute(test.db);
    await vi.waitUntil(async () => (await checks()).some((pid) => pid !== before), PATIENTLY);
    expect(log.mock.calls.map(([, event]) => event)).toEqual(['database there']);
  });

  it('rolls back a transaction whose connection was ended, and reports the first error', async () => {
    const database = open(test.url);
    await database.ready;
    const attempt = database.db.transaction().execute(async (transaction) => {
      await sql`create table never (id text)`.execute(transaction);
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction);
    });
    await expect(attempt).rejects.toMatchObject({ code: '57P01' });
    const { rows } = await sql`select to_regclass('never') as never`.execute(test.db);
    expect(rows).toEqual([{ never: null }]);
  });

  it('limits how long statements, transactions and waits for a connection last', async () => {
    const limits = { connectionTimeoutMillis: 5_000, query_timeout: 10_000 };
    expect(connectionOptions(serverAt(test.url))).toMatchObject(limits);
    // Passed by hand, because the same limit holds for the connections that a busy machine makes.
    const timers = holdTimers((ms) => ms === 4_321);
    const { db, ready } = open(test.url, { poolSize: 1, limits: { connectionTimeoutMillis: 4_321 } });
    await ready;
    const show = async (name: string) =>
      (await sql.raw<Record<string, string>>(`show ${name}`).execute(db)).rows[0]![name];
    expect(await show('statement_timeout')).toBe('9s');
    expect(await show('idle_in_transaction_session_timeout')).toBe('10s');
    const transaction = await db.startTransaction().execute();
    const late = failure(sql`select 1`.execute(db));
    await vi.waitUntil(() => timers.set.length > 0, PATIENTLY);
    timers.fire();
    expect(isUnavailable(await late)).toBe(true);
    await transaction.rollback().execute();
    await sql`select 1`.execute(db);
  });

  it('lets a migration take its time', async () => {
    // Another process holds the lock of the migrations for a while.
    const other = await test.db.startTransaction().execute();
    await sql`lock table kysely_migration`.execute(other);
    const database = open(test.url);
    await untilBlocked(test.db);
    await other.rollback().execute();
    await database.ready;
  });

  it('does not call the database away at the start when a time limit of its operator ends a statement', async () => {
    await open(test.url).ready;
    const other = await test.db.startTransaction().execute();
    await sql`lock table accounts`.execute(other);
    await sql.raw(`alter database ${test.name} set lock_timeout = '20ms'`).execute(test.db);
    onTestFinished(async () => {
      await sql.raw(`alter database ${test.name} reset lock_timeout`).execute(test.db);
    });
    const log = vi.fn();
    const database = open(test.url, { log });
    await vi.waitFor(() => expect(log).toHaveBeenCalled(), PATIENTLY);
    expect(log).toHaveBeenCalledWith('warn', 'database over time limit', expect.anything());
    await other.rollback().execute();
    await database.ready;
    expect(log.mock.calls.map(([, event]) => event)).not.toContain('database away');
  });

  it('stops waiting for the migration of another process when it is closed', async () => {
    const other = await test.db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(7412001)`.execute(connection);
      const log = vi.fn();
      const database = open(test.url, { log });
      const line = ['info', 'waiting for migration', {}];
      await vi.waitFor(() => expect(log.mock.calls).toContainEqual(line), PATIENTLY);
      expect(database.trouble()).toBe('migration');
      await database.close();
      await sql`select pg_advisory_unlock_all()`.execute(connection);
      return database;
    });
    expect(await failure(other.ready)).toBeInstanceOf(DatabaseError);
    expect(String(await failure(other.ready))).toContain('was closed before it was ready');
  });

  it('closes twice, and fails queries afterwards as an outage', async () => {
    const database = open(test.url);
    await database.ready;
    await Promise.all([database.close(), database.close()]);
    expect(database.isReady()).toBe(false);
    expect(isUnavailable(await failure(sql`select 1`.execute(database.db)))).toBe(true);
  });
});

describe('a server that refuses', async () => {
  const test = await testDatabase(afterAll, { empty: true });

  it.each([
    ['a wrong password', test.url.replace(/:[^:@/]+@/, ':geheim@'), 'Correct them in the database URL.'],
    ['a missing database', test.url.replace(test.name, 'nowhere'), 'Create it, or correct its name'],
  ])('ends the start for %s', async (_what, url, advice) => {
    const log = vi.fn();
    const error = await failure(open(url, { log }).ready);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain(advice);
    expect(`${String(error)} ${JSON.stringify(log.mock.calls)}`).not.toContain('geheim');
  });

  it('ends the start for a user who may not make tables', async () => {
    await sql`create role visitor login password 'geheim'`.execute(test.db);
    await sql`revoke create on schema public from public`.execute(test.db);
    const url = test.url.replace(/\/\/[^@]+@/, '//visitor:geheim@');
    const error = await failure(open(url).ready);
    await sql`drop role visitor`.execute(test.db);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain('Make the user the owner of the database.');
  });

  it('ends the start for a newer schema', async () => {
    await open(test.url).ready;
    await sql`insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00Z')`.execute(test.db);
    const error = await failure(open(test.url).ready);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain('9999-later');
  });

  it('ends the start for a server before PostgreSQL 15', () => {
    const message = 'Expected PostgreSQL 15 or later at x, got 14. Upgrade the server.';
    expect(() => checkVersion(140012, 'x')).toThrow(message);
    checkVersion(150000, 'x');
  });
});

describe('a server that comes and goes', async () => {
  const server = await startPostgresServer(process.env.TEST_POSTGRES_BINARIES);
  afterAll(() => server.remove());

  it('is used as soon as it is there', async () => {
    await server.kill();
    const log = vi.fn();
    const database = open(server.url(), { log });
    await vi.waitUntil(() => log.mock.calls.some(([, event]) => event === 'database away'), PATIENTLY);
    expect(database.isReady()).toBe(false);
    await server.start();
    await database.ready;
    expect(database.isReady()).toBe(true);
  });

  it('fails a visit at once when the server is away', async () => {
    await server.kill();
    const error = await failure(open(server.url(), { visit: true }).ready);
    await server.start();
    expect(error).toBeInstanceOf(DatabaseError);
    expect(String(error)).toContain('cannot be reached');
  });

  it('closes while the server is away', async () => {
    await server.kill();
    const database = open(server.url());
    await database.close();
    await expect(database.ready).rejects.toBeInstanceOf(DatabaseError);
    await server.start();
  });

  it('is missed without a request, and used again when it is back', async () => {
    const log = vi.fn();
    const database = open(server.url(), { log });
    await database.ready;
    // Leaves an idle connection in the pool. Its end must not end the process.
    await sql`select 1`.execute(database.db);
    await server.kill();
    await vi.waitUntil(() => !database.isReady(), PATIENTLY);
    expect(isUnavailable(await failure(sql`select 1`.execute(database.db)))).toBe(true);
    await server.start();
    await vi.waitUntil(() => database.isReady(), PATIENTLY);
    await sql`select 1`.execute(database.db);
    const events = log.mock.calls.map(([, event]) => event);
    expect(events).toEqual(['database there', 'database away', 'database there']);
  });

  it('keeps queries failing as outages, never otherwise, while the server dies under load', async () => {
    const database = open(server.url());
    await database.ready;
    const errors: unknown[] = [];
    let done = 0;
    let stop = false;
    const load = [1, 2, 3, 4, 5, 6].map(async () => {
      while (!stop) {
        const error = await failure(sql`select 1`.execute(database.db));
        if (error) errors.push(error);
        else done += 1;
      }
    });
    for (let round = 0; round < 3; round += 1) {
      const before = done;
      await vi.waitUntil(() => done > before + 10, PATIENTLY);
      const failed = errors.length;
      await server.kill();
      await vi.waitUntil(() => errors.length > failed, PATIENTLY);
      await server.start();
    }
    const before = done;
    await vi.waitUntil(() => done > before + 10, PATIENTLY);
    stop = true;
    await Promise.all(load);
    expect(errors.filter((error) => !isUnavailable(error))).toEqual([]);
  });

  it('is missed when it hangs, and no query waits for ever', async () => {
    // By default, a query of a frozen server ends after 10 seconds, and the server is missed within 4.
    expect(PACE.everyMs + PACE.patienceMs).toBeLessThan(4_000);
    // Passed by hand, because the same limits hold for what a busy machine has to do before and after.
    const limits = holdTimers((ms) => ms === 4_321 || ms === 2_345);
    const brief = { limits: { query_timeout: 4_321 }, pace: { everyMs: 20, patienceMs: 2_345 } };
    const database = open(server.url(), brief);
    await database.ready;
    await sql`select 1`.execute(database.db);
    server.freeze();
    try {
      const query = failure(sql`select 1`.execute(database.db));
      await vi.waitUntil(() => limits.set.includes(4_321), PATIENTLY);
      await vi.waitUntil(() => {
        limits.fire();
        return !database.isReady();
      }, PATIENTLY);
      expect(isUnavailable(await query)).toBe(true);
    } finally {
      server.thaw();
    }
    await vi.waitUntil(() => database.isReady(), PATIENTLY);
    await sql`select 1`.execute(database.db);
  });
});

/** Ends the other connections whose query contains the text. Returns how many. */
async function endOthers(db: Database['db'], text: string): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query like ${`%${text}%`}
  `.execute(db);
  return rows.length;
}
