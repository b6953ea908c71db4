/** How commands reach the database, and what they say when they cannot. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { MIGRATIONS } from '../../src/service/database/migrate.ts';
import { listenOnLoopback } from '../loopback.ts';
import { makeAccount } from '../service/support/account.ts';
import { testDatabase } from '../service/support/database.ts';
import { adminOn, createFolder } from './run-admin.ts';

// Each command opens and closes the database, which takes a moment on a busy machine.

const LATEST = Object.keys(MIGRATIONS).at(-1)!;
const database = await testDatabase(afterAll, { empty: true });
const folder = createFolder();

/** For what happens in another process. */
const WAIT = { interval: 20 };

const readFile = (path: string) => readFileSync(path, 'utf8');

describe('a command', () => {
  it('migrates a new database first', async () => {
    const admin = adminOn(database.url);
    expect(await admin.done('account', 'list')).toEqual([]);
  });

  it('finds the database in the config file', async () => {
    const config = folder.write('config.json', JSON.stringify({ database: database.url }));
    const surroundings = { environment: {}, readFile };
    const outcome = await runCommandLine(['account', 'list', '--config', config], surroundings);
    expect(outcome).toEqual({ exitCode: 0, output: '[]\n', error: '' });
  });

  it('uses DATABASE_URL instead of the config file', async () => {
    const config = folder.write('closed.json', JSON.stringify({ database: 'postgres://127.0.0.1:1/x' }));
    expect(await adminOn(database.url).done('--config', config, 'account', 'list')).toEqual([]);
  });

  it('refuses to run without any database', async () => {
    const outcome = await runCommandLine(['status'], { environment: {}, readFile });
    expect(outcome).toMatchObject({ exitCode: 2, output: '', error: expect.stringContaining('--config') });
  });
});

describe('ends with exit code 1 and one line', () => {
  /** Runs `status` on a database that does not work. */
  async function failure(databaseUrl: string, patienceMs = 20_000): Promise<string> {
    const surroundings = { environment: { DATABASE_URL: databaseUrl }, readFile, patienceMs };
    const outcome = await runCommandLine(['status'], surroundings);
    expect([outcome.exitCode, outcome.output]).toEqual([1, '']);
    expect(outcome.error).toMatch(/^.{1,300}\n$/);
    expect(outcome.error).not.toContain('hunter2');
    return outcome.error;
  }

  it('when the server refuses connections', async () => {
    const { port, server } = await listen(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(`postgres://ada:hunter2@127.0.0.1:${port}/name`)).toContain(`127.0.0.1:${port}`);
  });

  it('when the server never answers', async () => {
    const { port } = await listen(() => {});
    const error = await failure(`postgres://ada:hunter2@127.0.0.1:${port}/name`, 200);
    expect(error).toContain('within 0.2 s');
  });

  it('when migrations take too long, but migrate waits for them', async () => {
    const other = await testDatabase(onTestFinished);
    const migration = await other.db.startTransaction().execute();
    await sql`lock table kysely_migration`.execute(migration);
    const surroundings = { environment: { DATABASE_URL: other.url }, readFile, patienceMs: 200 };
    const migrating = runCommandLine(['migrate'], surroundings);
    expect(await failure(other.url, 200)).toContain('run migrate');
    await migration.rollback().execute();
    expect(await migrating).toMatchObject({ exitCode: 0, error: '' });
  });

  it('when the folder of the database is a file', async () => {
    const file = folder.write('file', '');
    expect(await failure(file)).toContain(file);
  });

  it('when the password is wrong', async () => {
    await failure(database.url.replace(/:[^:@]*@/, ':hunter2@'));
  });

  it('when the database does not exist', async () => {
    await failure(database.url.replace(database.name, 'evw_unknown'));
  });

  it('when a newer version of the program has migrated the database', async () => {
    const newer = await testDatabase(onTestFinished);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-newer', '')`.execute(newer.db);
    expect(await failure(newer.url)).toContain('9999-newer');
  });
});

describe('a command that fails halfway', () => {
  it('ends with exit code 1 and says that the connection broke', async () => {
    const other = await testDatabase(onTestFinished);
    const id = await makeAccount(other.db);
    const blocking = await other.db.startTransaction().execute();
    await sql`lock table apps in access exclusive mode`.execute(blocking);
    const surroundings = { environment: { DATABASE_URL: other.url }, readFile };
    const listing = runCommandLine(['app', 'list', '--email', `${id}@example.com`], surroundings);
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      `.execute(other.db);
      expect(rows).toHaveLength(1);
    }, WAIT);
    const error = expect.stringMatching(/^Expected the database to stay reachable, .*\n$/);
    expect(await listing).toEqual({ exitCode: 1, output: '', error });
    await blocking.rollback().execute();
  });

  it.each([
    [
      'that is read-only',
      'alter database $name set default_transaction_read_only = on',
      'got a read-only one',
    ],
    [
      'whose user may not write',
      'create role reader_$name login; grant select on all tables in schema public to reader_$name',
      'got a user without the right',
    ],
  ])('says what to do about a database %s', async (_what, change, message) => {
    const other = await testDatabase(onTestFinished);
    await sql.raw(change.replaceAll('$name', other.name)).execute(other.db);
    const user = change.includes('reader_') ? `reader_${other.name}` : undefined;
    const options = user ? `${other.url.includes('?') ? '&' : '?'}options=-c%20role=${user}` : '';
    const parameters = ['account', 'create', '--email', 'ada@example.com'];
    const environment = { DATABASE_URL: other.url + options };
    const outcome = await runCommandLine(parameters, { environment, readFile });
    expect(outcome).toMatchObject({ exitCode: 1, output: '', error: expect.stringContaining(message) });
    if (user) await sql.raw(`drop owned by ${user}; drop role ${user}`).execute(other.db);
  });

  it('names the code of an unexpected error and not its message', async () => {
    const other = await testDatabase(onTestFinished);
    await sql`alter table accounts drop column owner_email`.execute(other.db);
    const parameters = ['account', 'create', '--email', 'ada@example.com'];
    const surroundings = { environment: { DATABASE_URL: other.url }, readFile };
    const { exitCode, output, error } = await runCommandLine(parameters, surroundings);
    expect([exitCode, output]).toEqual([1, '']);
    expect(error).toMatch(/^Expected the command to finish, got the error 42703\. .*\n$/);
    expect(error).not.toMatch(/ada|owner_email/);
  });
});

describe('migrate and status', () => {
  it('print the schema', async () => {
    const admin = adminOn(database.url);
    expect(await admin.done('migrate')).toEqual({ schema: LATEST, migrations: Object.keys(MIGRATIONS) });
  });

  it('describe the database without its password', async () => {
    const printed = await adminOn(database.url).done('status');
    expect(printed).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      schema: LATEST,
      processes: { alive: 0, dead: 0 },
      queues: {
        addresses: {
          live: { ready: 0, claimed: 0, later: 0, paused: 0 },
          test: { ready: 0, claimed: 0, later: 0, paused: 0 },
        },
        callbacks: { due: 0, retry: 0, being_sent: 0, given_up: 0 },
        verifications: 0,
      },
      books: {
        ...{ audited_at: null, differences: null, next_audit_at: null },
        in_words: 'They are audited at night for the first time. audit-books does it now.',
      },
      payments: { open: 0, since: null },
      lists: expect.objectContaining({ uploaded: { drafts: 0, of_batches: 0 }, own: [] }),
      doctor: null,
      jobs: { waiting: 0, running: 0, failed: 0, processes: 0 },
      database: { version: expect.stringMatching(/^\d+\./), where: expect.stringContaining(database.name) },
    });
    expect(JSON.stringify(printed)).not.toContain('not-secret');
  });
});

/** A server that accepts connections on a free port. */
async function listen(onConnection: () => void): Promise<{ port: number; server: Server }> {
  const server = createServer(onConnection);
  return { port: await listenOnLoopback(server), server };
}
