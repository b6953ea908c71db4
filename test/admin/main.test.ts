/** The built admin command as a process of its own: what an operator and their scripts see. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../src/admin/commands/table.ts';
import { findAccountByEmail } from '../../src/service/accounts/store.ts';
import { openDatabase } from '../../src/service/database/database.ts';
import { silentLog } from '../../src/service/log.ts';
import { createTestDatabase } from '../service/support/database.ts';
import { createFolder } from './run-admin.ts';

/** Below the project, so that Node finds its packages. */
const BUILT = `test-results/admin-${process.pid}`;
const MAIN = `${BUILT}/main.js`;
const folder = createFolder();

beforeAll(async () => {
  await build({
    entryPoints: ['src/admin/main.ts'],
    outfile: MAIN,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
  });
});
afterAll(() => {
  rmSync(BUILT, { recursive: true, force: true });
  folder.remove();
});

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly error: string;
}

/** Runs the command to its end. */
async function admin(parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [MAIN, ...parameters], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return ended(child);
}

/** What a process printed, once it has ended. */
async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const [exitCode, output, error] = await Promise.all([
    new Promise<number | null>((resolve) => child.on('close', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode, output, error };
}

describe('--help', { timeout: 30_000 }, () => {
  it('prints every command with its flags and example, without a config file', async () => {
    const { exitCode, output, error } = await admin(['--help']);
    expect([exitCode, error]).toEqual([0, '']);
    for (const { words, flags, example } of COMMANDS) {
      expect(output).toContain(`\n${words.join(' ')}`);
      expect(output).toContain(` ${example}\n`);
      for (const name of Object.keys(flags)) expect(output).toContain(`    --${name}`);
    }
  });

  it('prints one command', async () => {
    const { output } = await admin(['account', 'create', '--help']);
    expect(output).toMatch(/^account create --email EMAIL/);
    expect(output).not.toContain('key create');
  });
});

describe('a wrong command line', { timeout: 30_000 }, () => {
  it.each([
    [[], 'command'],
    [['account', 'rename'], 'account rename'],
    [['account', 'create', '--bogus'], '--bogus'],
    [['account', 'show', '--email', 'x', '--config', 'nowhere.json'], '"x"'],
    [['account', 'list', '--config', 'nowhere.json'], 'nowhere.json'],
    [['account', 'list'], '--config'],
  ])('%j ends with exit code 2 and one line', async (parameters, named) => {
    const { exitCode, output, error } = await admin(parameters);
    expect([exitCode, output]).toEqual([2, '']);
    expect(error).toMatch(/^Expected .{1,290}\n$/);
    expect(error).toContain(named);
  });
});

it('runs with npm, which adds no output and keeps the exit code', {
  timeout: 60_000,
}, async () => {
  const child = spawn('npm', ['run', '--silent', 'admin', '--', 'account', 'create', '--email', 'x'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(await ended(child)).toMatchObject({
    exitCode: 2,
    output: '',
    error: expect.stringContaining('Expected --email to be an email address'),
  });
});

it('prints the password of a new account once and nowhere else', { timeout: 30_000 }, async () => {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url };
  const created = await admin(['account', 'create', '--email', 'ada@example.com'], environment);
  expect([created.exitCode, created.error]).toEqual([0, '']);
  const { password } = JSON.parse(created.output);
  const shown = await admin(['account', 'show', '--email', 'ada@example.com'], environment);
  expect(shown.output + shown.error).not.toContain(password);
  expect(JSON.parse(shown.output)).toMatchObject({ owner_email: 'ada@example.com' });
  await database.drop();
});

describe('on the folder of an embedded database', { timeout: 60_000 }, () => {
  it('works without a service, also when two commands run at once', async () => {
    const config = folder.write('config.json', JSON.stringify({ database: 'data' }));
    const create = (email: string) => admin(['--config', config, 'account', 'create', '--email', email]);
    const results = await Promise.all([create('ada@example.com'), create('grace@example.com')]);
    expect(results.map(({ exitCode, error }) => [exitCode, error])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const { output } = await admin(['account', 'list', '--config', config]);
    const emails = JSON.parse(output).map(({ owner_email }: { owner_email: string }) => owner_email);
    expect(emails.sort()).toEqual(['ada@example.com', 'grace@example.com']);
  });

  it('uses the server of a running service, and leaves it running', async () => {
    const config = folder.write('shared.json', JSON.stringify({ database: 'shared' }));
    const service = openDatabase({ folder: join(folder.path, 'shared') }, { log: silentLog });
    onTestFinished(() => service.close());
    await service.ready;
    const email = 'ada@example.com';
    const commands = [
      admin(['--config', config, 'account', 'create', '--email', email]),
      admin(['--config', config, 'status']),
    ];
    expect((await Promise.all(commands)).map(({ exitCode, error }) => [exitCode, error])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(await findAccountByEmail(service.db, email)).toMatchObject({ owner_email: email });
  });

  it('ends with exit code 1 when the folder is a file', async () => {
    folder.write('file', '');
    const config = folder.write('file.json', JSON.stringify({ database: 'file' }));
    const { exitCode, output, error } = await admin(['account', 'list', '--config', config]);
    expect([exitCode, output]).toEqual([1, '']);
    expect(error).toMatch(/^.{1,300}\n$/);
    expect(error).toContain('file');
  });
});
