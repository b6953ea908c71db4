/** The built admin command as a process of its own: what an operator and their scripts see. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/service/core/log.ts';
import { openDatabase } from '../../src/service/database/database.ts';
import { inLong } from '../in-long.ts';
import { testDatabase } from '../service/support/database.ts';
import { adminOn, createFolder } from './run-admin.ts';

/** Below the project, so that Node finds its packages. */
const BUILT = `test-results/admin-${process.pid}`;
const MAIN = `${BUILT}/main.js`;
const folder = createFolder();

beforeAll(async () => {
  await build({
    entryPoints: ['src/cli/main.ts'],
    outfile: MAIN,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    // As in the build.
    define: { VERSION: JSON.stringify('0.0.0') },
  });
});
afterAll(() => rmSync(BUILT, { recursive: true, force: true }));

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

inLong('runs with npm, which adds no output and keeps the exit code', async () => {
  const child = spawn('npm', ['run', '--silent', 'admin', '--', 'account', 'create', '--email', 'x'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(await ended(child)).toMatchObject({
    exitCode: 2,
    output: '',
    error: expect.stringContaining('Expected --email to be an email address'),
  });
});

it('prints the password of a new account once and nowhere else', async () => {
  const database = await testDatabase(onTestFinished);
  const { exitCode, output, error } = await admin(['account', 'create', '--email', 'ada@example.com'], {
    DATABASE_URL: database.url,
  });
  expect([exitCode, error]).toEqual([0, '']);
  const { password } = JSON.parse(output);
  const shown = await adminOn(database).done('account', 'show', '--email', 'ada@example.com');
  expect(shown).toMatchObject({ owner_email: 'ada@example.com' });
  expect(JSON.stringify(shown)).not.toContain(password);
});

// `embedded.test.ts` works without a service.
inLong('uses the embedded database of a running service, and leaves it running', async () => {
  const config = folder.write('config.json', JSON.stringify({ database: 'data' }));
  const onFolder = async (...parameters: string[]) => {
    const { exitCode, error } = await admin(['--config', config, ...parameters]);
    expect([exitCode, error]).toEqual([0, '']);
  };
  const service = openDatabase({ folder: join(folder.path, 'data') }, { log: silentLog });
  onTestFinished(() => service.close());
  await service.ready;
  await Promise.all([onFolder('account', 'create', '--email', 'alan@example.com'), onFolder('status')]);
  const accounts = await service.db.selectFrom('accounts').select('owner_email').execute();
  expect(accounts).toEqual([{ owner_email: 'alan@example.com' }]);
});
