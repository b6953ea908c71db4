/** What commands do about a database with the schema of an older version. */
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { MIGRATIONS, migrate, migrationsOf } from '../../src/service/database/migrate.ts';
import { withSchemaLock } from '../../src/service/database/schema-lock.ts';
import { startWorld } from '../engine/world/world.ts';
import { testDatabase } from '../service/support/database.ts';
import { createFolder } from './run-admin.ts';

// Each command opens and closes the database, which takes a moment on a busy machine.

const LATEST = Object.keys(MIGRATIONS).at(-1)!;
const RELEASED = '0012-resumed';

/** A database as a version has left it, whose last migration was `name`. */
async function databaseOf(name: string) {
  const database = await testDatabase(onTestFinished, { empty: true });
  await migrate(database.db, Object.fromEntries(Object.entries(MIGRATIONS).filter(([each]) => each <= name)));
  const run = (...parameters: string[]) =>
    runCommandLine(parameters, {
      environment: { DATABASE_URL: database.url },
      readFile: (path) => readFileSync(path, 'utf8'),
    });
  return { run, db: database.connect(1), schema: async () => (await migrationsOf(database.db)).at(-1) };
}

it.each([
  ['account list'],
  ['jobs'],
  ['key list --email ada@example.com'],
  ['account create --email ada@example.com'],
])('refuses "%s", names both schemas, and moves nothing', async (line) => {
  const { run, schema } = await databaseOf(RELEASED);
  expect(await run(...line.split(' '))).toEqual({
    exitCode: 1,
    output: '',
    error: `Expected a database with the schema ${LATEST}, got one with the older schema ${RELEASED}. Run migrate.\n`,
  });
  expect(await schema()).toBe(RELEASED);
});

it('works with "status" and "backup", which leave the schema as it is', async () => {
  const { run, schema } = await databaseOf(RELEASED);
  const folder = createFolder(onTestFinished);
  const status = await run('status');
  expect(status).toMatchObject({ exitCode: 0, error: '' });
  expect(JSON.parse(status.output)).toMatchObject({
    ...{ schema: RELEASED, outdated: expect.stringContaining(LATEST), jobs: { waiting: 0 } },
  });
  const backup = await run('backup', join(folder.path, 'a.backup'));
  expect(JSON.parse(backup.output)).toMatchObject({ schema: RELEASED });
  expect(existsSync(join(folder.path, 'a.backup'))).toBe(true);
  expect(await schema()).toBe(RELEASED);
});

it('works with "doctor", which warns of the schema and leaves it as it is', async () => {
  const world = await startWorld({}, {});
  onTestFinished(world.close);
  const { run, schema } = await databaseOf(RELEASED);
  const folder = createFolder(onTestFinished);
  const config = folder.write('service.json', JSON.stringify({ live: world.live }));
  const { exitCode, error, output } = await run('--config', config, 'doctor');
  expect([exitCode, error]).toEqual([0, '']);
  const { findings } = JSON.parse(output) as { findings: object[] };
  expect(findings).toContainEqual(expect.objectContaining({ check: 'database', status: 'ok' }));
  expect(findings).toContainEqual({
    ...{ check: 'schema', status: 'warning' },
    ...{ text: expect.stringContaining(LATEST), advice: 'Run migrate, or start this version.' },
  });
  expect(await schema()).toBe(RELEASED);
});

it('shows the status of a schema that lacks what this version reads, without its jobs', async () => {
  const { run } = await databaseOf('0001-accounts');
  const { exitCode, output } = await run('status');
  expect([exitCode, JSON.parse(output)]).toMatchObject([0, { schema: '0001-accounts', jobs: {} }]);
});

it('migrates with "migrate" alone', async () => {
  const { run, schema } = await databaseOf(RELEASED);
  expect(await run('migrate')).toMatchObject({ exitCode: 0, error: '' });
  expect(await schema()).toBe(LATEST);
  expect(await run('account', 'list')).toMatchObject({ exitCode: 0, output: '[]\n' });
  const moving = COMMANDS.filter((command) => command.schema === 'migrate');
  expect(moving.map(({ words }) => words.join(' '))).toEqual(['migrate']);
});

it.each(['status', 'jobs', 'account list'])('gives an empty database its schema with "%s"', async (line) => {
  const { run, schema } = await databaseOf('');
  expect(await run(...line.split(' '))).toMatchObject({ exitCode: 0 });
  expect(await schema()).toBe(LATEST);
});

it('names a migration that runs beside it with "status"', async () => {
  const { run, db } = await databaseOf(RELEASED);
  expect(JSON.parse((await run('status')).output)).not.toHaveProperty('migration');
  const status = await withSchemaLock(db, () => run('status'));
  expect(JSON.parse(status.output)).toMatchObject({
    migration: { host: hostname(), pid: process.pid, is_waiting: false },
  });
});
