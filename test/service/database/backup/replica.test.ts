/** Backups from a streaming replica, with the settings of docs/operations.md. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../../../../src/cli/run.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { adminOn, createFolder } from '../../../cli/run-admin.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { openPool, testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';

/** Those of Debian. The embedded server has no `pg_basebackup`. */
const BINARIES = '/usr/lib/postgresql/15/bin';
const hasBinaries = existsSync(join(BINARIES, 'pg_basebackup'));
if (!hasBinaries) console.warn('left out, because it is not installed: PostgreSQL 15');

const ROWS = 50_000;

function connect(url: string): Db {
  const db = openPool({ connectionString: url, max: 1 });
  onTestFinished(() => db.destroy());
  return db;
}

/** A primary with an account and many rows, and a replica that has them all. They end with the test. */
async function startReplica(settings: Record<string, string> = {}) {
  const primary = await startPostgresServer(BINARIES);
  onTestFinished(() => primary.remove());
  await adminOn(primary.url()).done('account', 'create', '--email', 'ada@example.com', '--credits', '5');
  const db = connect(primary.url());
  await sql`
    insert into credit_references (reference, account_id, amount)
    select md5(number::text) || md5((-number)::text), 'acc_1', 1 from generate_series(1, ${ROWS}::integer) as number
  `.execute(db);
  const server = await startPostgresServer(BINARIES, { primary, settings });
  onTestFinished(() => server.remove());
  return { db, primary: primary.url(), replica: connect(server.url()), url: server.url() };
}

/** Begins a backup to a pipe that nobody reads yet. @returns reads it to its end */
async function beginBackup(url: string, more: object = {}) {
  const pipe = new PassThrough({ highWaterMark: 1 });
  const ended = runCommandLine(['backup', '-'], {
    environment: { DATABASE_URL: url },
    readFile: (path) => readFileSync(path, 'utf8'),
    ...{ stdout: pipe, ...more },
  });
  // It reads in its transaction now.
  await vi.waitFor(() => expect(pipe.readableLength).toBeGreaterThan(0), PATIENTLY);
  return () => {
    pipe.resume();
    return ended;
  };
}

/** Others that read a server in a transaction. */
const OTHERS = sql`
  pg_stat_activity
  where backend_xmin is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
`;

/** Ends the connection of the backup. */
const hangUp = (server: Db) => sql`select pg_terminate_backend(pid) from ${OTHERS}`.execute(server);

/** Removes rows that the backup may still read. */
async function cleanPrimary(db: Db): Promise<void> {
  await sql`delete from credit_references`.execute(db);
  await sql`vacuum credit_references`.execute(db);
}

describe.runIf(hasBinaries)('a streaming replica', () => {
  it('is backed up by the command, whole', async () => {
    const { url } = await startReplica();
    const folder = createFolder(onTestFinished);
    const file = join(folder.path, 'backup');
    const rows = { accounts: 1, ledger: 1, credit_references: ROWS };
    expect(await adminOn(url).done('backup', file)).toMatchObject({ rows });
    const target = await testDatabase(onTestFinished, { empty: true });
    await adminOn(target.url).done('restore', file);
    expect(await adminOn(target).listed('account', 'list')).toMatchObject([
      { owner_email: 'ada@example.com', available_credits: 5 },
    ]);
  });

  it('cancels a backup that conflicts with the primary, and the command says what to set', async () => {
    const { db, replica, url } = await startReplica({ max_standby_streaming_delay: '0' });
    const backup = await beginBackup(url);
    await cleanPrimary(db);
    const readers = sql`select from ${OTHERS}`;
    await vi.waitFor(async () => expect((await readers.execute(replica)).rows).toEqual([]), PATIENTLY);
    const { exitCode, error } = await backup();
    expect([exitCode, error]).toEqual([1, expect.stringContaining('raise its max_standby_streaming_delay')]);
  });

  it('names the cure for a conflict, too, where the replica hangs up without a word', async () => {
    const { replica, url } = await startReplica();
    const backup = await beginBackup(url);
    await hangUp(replica);
    const { exitCode, error } = await backup();
    expect([exitCode, error]).toEqual([1, expect.stringContaining('If its log tells of a conflict')]);
  });

  it('says of a primary that hangs up that the connection broke', async () => {
    const { db, primary } = await startReplica();
    const backup = await beginBackup(primary);
    await hangUp(db);
    const { exitCode, error } = await backup();
    expect([exitCode, error]).toEqual([1, expect.stringContaining('got a broken connection')]);
  });

  it('waits for a backup as long as it may, and then the backup holds up nobody', async () => {
    const { db, replica, url } = await startReplica({ max_standby_streaming_delay: '-1' });
    const warn = vi.fn();
    const backup = await beginBackup(url, { longMs: 1, warn });
    await cleanPrimary(db);
    const { rows } = await sql`select pg_relation_size('credit_references') as left`.execute(db);
    expect(rows).toEqual([{ left: 0 }]);
    const startup = sql`select wait_event from pg_stat_activity where backend_type = 'startup'`;
    await vi.waitFor(async () => {
      const { rows } = await startup.execute(replica);
      expect(rows).toEqual([{ wait_event: 'RecoveryConflictSnapshot' }]);
    }, PATIENTLY);
    const { exitCode, error } = await backup();
    expect([exitCode, JSON.parse(error)]).toMatchObject([0, { rows: { credit_references: ROWS } }]);
    expect(warn).not.toHaveBeenCalled();
  });

  it('makes the primary wait if it sends feedback, and then a long backup warns', async () => {
    const feedbackOn = { hot_standby_feedback: 'on', wal_receiver_status_interval: '1' };
    const { db, url } = await startReplica(feedbackOn);
    const { promise: warned, resolve: sayWarned } = withResolvers<string>();
    const backup = await beginBackup(url, { longMs: 1, warn: sayWarned });
    expect(await warned).toContain('takes long');
    const feedback = sql`select backend_xmin is not null as holds_up from pg_stat_replication`;
    await vi.waitFor(async () => {
      expect((await feedback.execute(db)).rows).toEqual([{ holds_up: true }]);
    }, PATIENTLY);
    await cleanPrimary(db);
    expect((await backup()).exitCode).toBe(0);
  });
});
