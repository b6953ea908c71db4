/** The commands `backup` and `restore`, as an operator runs them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeFileWhole } from '../../src/cli/output-file.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { inLong } from '../in-long.ts';
import { makeAccount } from '../service/support/account.ts';
import { type TestDatabase, testDatabase } from '../service/support/database.ts';
import { adminOn, createFolder } from './run-admin.ts';

// Each restore makes all tables, and some of the tests start processes.

const source = await testDatabase();
const folder = createFolder();
const admin = adminOn(source);
await admin.done('account', 'create', '--email', 'ada@example.com', '--credits', '5');

/** A database without a schema, for one test. */
const emptyDatabase = () => testDatabase(onTestFinished, { empty: true });

let files = 0;
const newFile = () => {
  files += 1;
  return join(folder.path, `backup-${files}`);
};
const partial = () => readdirSync(folder.path).filter((name) => name.endsWith('.partial'));

const run = (database: TestDatabase, parameters: string[], streams: object = {}) =>
  runCommandLine(parameters, {
    environment: { DATABASE_URL: database.url },
    readFile: (path) => readFileSync(path, 'utf8'),
    ...streams,
  });

it('writes a file for its owner only, and restores it into an empty database', async () => {
  const target = await emptyDatabase();
  const file = newFile();
  const made = await adminOn(source.url).done('backup', file);
  expect(made).toMatchObject({ backup: file, rows: { accounts: 1, ledger: 1 } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(partial()).toEqual([]);
  const restored = await adminOn(target.url).done('restore', file);
  expect(restored).toMatchObject({ restored: { accounts: 1, ledger: 1 }, migrated: [] });
  expect(await adminOn(target).listed('account', 'list')).toMatchObject([
    { owner_email: 'ada@example.com', available_credits: 5 },
  ]);
});

inLong('passes a backup through pipes', async () => {
  const target = await emptyDatabase();
  const pipe = new PassThrough();
  const parts: Buffer[] = [];
  pipe.on('data', (part) => parts.push(part));
  const made = await run(source, ['backup', '-'], { stdout: pipe });
  // As standard output does.
  expect(pipe.writableEnded).toBe(false);
  expect([made.exitCode, made.output]).toEqual([0, '']);
  expect(JSON.parse(made.error)).toMatchObject({ backup: '-', rows: { accounts: 1 } });
  const restored = await run(target, ['restore', '-'], { stdin: Readable.from(parts) });
  expect([restored.exitCode, restored.error]).toEqual([0, '']);
});

it('warns once while it takes long, and goes on', async () => {
  // Nobody reads it until then.
  const pipe = new PassThrough({ highWaterMark: 1 });
  const lines: string[] = [];
  const warn = (line: string) => {
    lines.push(line);
    pipe.resume();
  };
  const made = await run(source, ['backup', '-'], { stdout: pipe, warn, longMs: 1 });
  const line = expect.stringMatching(/^The backup goes on.{100,250}\.md\.$/);
  expect([made.exitCode, lines]).toEqual([0, [line]]);
});

it('replaces a file only with --force', async () => {
  const file = newFile();
  await admin.done('backup', file);
  const before = readFileSync(file);
  expect(await admin.refused('backup', file)).toContain('add --force');
  expect(readFileSync(file)).toEqual(before);
  await admin.done('backup', file, '--force');
  expect(readFileSync(file)).not.toEqual(before);
});

describe('refuses, and leaves nothing behind', () => {
  afterEach(() => expect(partial()).toEqual([]));

  it.each([
    [['backup'], 'Expected FILE after "backup"'],
    [['restore'], 'Expected FILE after "restore"'],
    [['backup', 'a', 'b'], 'Expected one FILE after "backup", got "b".'],
    [['restore', '/none/there'], '(ENOENT)'],
    [['restore', '.'], '(EISDIR)'],
    [['backup', '/none/there'], 'got ENOENT'],
  ])('%j', async (parameters, message) => {
    expect(await admin.refused(...parameters)).toContain(message);
  });

  it('a folder, a device and a link as the file of a backup', async () => {
    const [taken, link] = [newFile(), newFile()];
    mkdirSync(taken);
    symlinkSync('/dev/null', link);
    for (const path of [taken, link, '/dev/null']) {
      expect(await admin.refused('backup', path, '--force')).toContain('to be a file, got something else');
    }
  });

  inLong('a backup that is cut off', async () => {
    const target = await emptyDatabase();
    const file = newFile();
    await admin.done('backup', file);
    truncateSync(file, statSync(file).size - 20);
    expect(await adminOn(target.url).refused('restore', file)).toContain('cut off');
    expect(await adminOn(target.url).listed('account', 'list')).toEqual([]);
  });

  it('a terminal, and a reader that leaves early', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    expect(await run(source, ['backup', '-'], { stdout: terminal })).toMatchObject({
      exitCode: 2,
      error: expect.stringContaining('got a terminal'),
    });
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })),
    });
    expect(await run(source, ['backup', '-'], { stdout: gone })).toMatchObject({
      exitCode: 2,
      error: expect.stringContaining('a reader that left early'),
    });
  });

  it('a disk that is full, and a fault that is not one of the disk', async () => {
    const failing = (error: object) =>
      writeFileWhole(newFile(), false, async (file) => {
        file.destroy();
        throw Object.assign(new Error('it failed'), error);
      });
    const message = 'got ENOSPC. Check the folder';
    await expect(failing({ code: 'ENOSPC', syscall: 'write' })).rejects.toThrow(message);
    await expect(failing({ code: 'ECONNRESET', syscall: 'write' })).rejects.toThrow('it failed');
    await expect(failing({})).rejects.toThrow('it failed');
  });
});

inLong('leaves the database empty if the restore is killed in the middle', async () => {
  const target = await emptyDatabase();
  const file = newFile();
  const many = await testDatabase(onTestFinished);
  await makeAccount(many.db);
  await sql`
    insert into ledger (account_id, amount, why, of, balance, at)
    select id, 1 - number % 2 * 2, 'top-up', number::text, 1 - number % 2, now() - number / 100 * interval '1 day'
    from accounts, generate_series(0, 9999) as number
  `.execute(many.db);
  await adminOn(many).done('backup', file);
  const bytes = readFileSync(file);
  const child = spawn(process.execPath, ['dist/admin/main.js', 'restore', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, DATABASE_URL: target.url },
  });
  child.stdin.on('error', () => {});
  // It waits for the rest, with most rows inserted.
  child.stdin.write(bytes.subarray(0, -200));
  const connections = async (state = '%') => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = ${target.name} and coalesce(state, '') like ${state}
    `.execute(source.db);
    return rows.length;
  };
  await expect.poll(() => connections('idle in transaction')).toBe(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await expect.poll(() => connections()).toBe(0);
  const { rows } = await sql`select from pg_tables where schemaname = 'public'`.execute(target.db);
  expect(rows).toEqual([]);
  expect(await adminOn(target.url).done('restore', file)).toMatchObject({ restored: { ledger: 10_000 } });
});
