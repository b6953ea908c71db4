/** The command `doctor`, and what `status` has of it, within a small Internet on loopback. */
import { utimesSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { MIGRATIONS, migrate, migrationsOf } from '../../src/service/database/migrate.ts';
import { startWorld, type World } from '../engine/world/world.ts';
import { createTestDatabase, testDatabase } from '../service/support/database.ts';
import { createFolder } from './run-admin.ts';

let world: World;
let url: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  url = database.url;
  world = await startWorld(
    { 'gmail.com': {}, 'sender.test': {} },
    {
      'verify.sender.test': { A: ['127.0.0.1'] },
      '1.0.0.127.in-addr.arpa': { PTR: ['verify.sender.test'] },
      'sender.test': { MX: [[10, 'mx.sender.test']], TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
      '1.0.0.127.listed.test': { A: ['127.0.0.2'] },
    },
  );
});
afterAll(() => world.close());

async function run(config: object, databaseUrl?: string, command = 'doctor') {
  const readFile = () => JSON.stringify(config);
  const surroundings = { environment: { DATABASE_URL: databaseUrl }, readFile };
  const outcome = await runCommandLine(['--config', 'service.json', command], surroundings);
  return { ...outcome, value: outcome.output === '' ? undefined : JSON.parse(outcome.output) };
}
const live = (more: object = {}) => ({
  ...world.live,
  ...{ helo: 'verify.sender.test', mailFrom: 'probe@sender.test', localAddresses: ['127.0.0.1'] },
  ...more,
});

const listsIn = (findings: readonly { check: string }[]) =>
  findings.flatMap(({ check }) => /^list (.+)/.exec(check)?.[1] ?? []);

it('gives no advice if all is well', async () => {
  const { exitCode, value } = await run({ live: live() }, url);
  expect(value.findings.filter(({ status }: { status: string }) => status !== 'ok')).toEqual([]);
  expect([exitCode, value.ok]).toEqual([0, true]);
  expect(value.findings.map(({ check }: { check: string }) => check)).toContain('clock');
  expect(listsIn(value.findings)).toEqual(['disposable', 'free', 'role', 'disposable-mx']);
});

it('tells the entries and the age of each list', async () => {
  const folder = createFolder(onTestFinished);
  const path = folder.write('block-mx.txt', 'mx.abuse.example\n');
  const changedAt = new Date(Date.now() - 50 * 3_600_000);
  utimesSync(path, changedAt, changedAt);
  const { value } = await run({ live: live({ listsFolder: folder.path }) }, url);
  expect([value.ok, listsIn(value.findings)]).toEqual([true, expect.arrayContaining(['block-mx'])]);
  expect(value.findings).toContainEqual({
    check: 'list block-mx',
    status: 'ok',
    text: 'The list has these entries: 1 of your own, changed 2 days ago.',
  });
  const ofRelease = /^The list has these entries: [\d,]+ of the release, published \d+ \w+ ago\.$/;
  expect(value.findings).toContainEqual({
    ...{ check: 'list role', status: 'ok' },
    text: expect.stringMatching(ofRelease),
  });
});

it('gives advice about each fault', async () => {
  const faults = { helo: 'nowhere.test', blockLists: ['listed.test'], listsFolder: '/does/not/exist' };
  const { exitCode, value } = await run({ live: live(faults) }, 'postgres://127.0.0.1:1/nothing');
  expect([exitCode, value.ok]).toEqual([0, false]);
  const unwell = value.findings.filter(({ status }: { status: string }) => status !== 'ok');
  const expected = ['helo', 'block list listed.test', 'listsFolder', 'database'];
  expect(unwell.map(({ check }: { check: string }) => check)).toEqual(expected);
  for (const { advice } of unwell) expect(advice).toMatch(/^[A-Z]/);
});

it('takes an older schema as it is, and says so', async () => {
  const older = await testDatabase(onTestFinished, { empty: true });
  const [first, ...later] = Object.entries(MIGRATIONS);
  await migrate(older.db, Object.fromEntries([first!]));
  const { value } = await run({ live: live() }, older.url);
  expect(value).toMatchObject({ ok: false });
  expect(value.findings).toContainEqual({
    check: 'schema',
    status: 'warning',
    text: `Expected a database with the schema ${later.at(-1)![0]}, got one with the older schema ${first![0]}.`,
    advice: 'Run migrate, or start this version.',
  });
  expect(await migrationsOf(older.db)).toEqual([first![0]]);
});

it('says that live keys need a database', async () => {
  const { value } = await run({ live: live() });
  expect(value.findings.at(-1)).toMatchObject({ check: 'database', status: 'problem' });
});

it.each([
  [
    { database: 'data' },
    'Expected "live" in the file of --config, got none. Add helo and mailFrom at least.',
  ],
  [{ live: { helo: 'x' } }, 'live.mailFrom'],
])('refuses %j', async (config, message) => {
  const { exitCode, output, error } = await run(config);
  expect([exitCode, output]).toEqual([2, '']);
  expect(error).toContain(message);
});

describe('status', () => {
  const statusWith = async (config: object) => (await run(config, url, 'status')).value;
  const doctorOf = async (config: object) => (await statusWith(config)).doctor;

  it('has the entries and the age of each list of the operator', async () => {
    const folder = createFolder(onTestFinished);
    const path = folder.write('disposable.txt', 'trash.example\n');
    const changedAt = new Date(Date.now() - 50 * 3_600_000);
    utimesSync(path, changedAt, changedAt);
    expect((await statusWith({ live: live({ listsFolder: folder.path }) })).lists.own).toEqual([
      { file: 'disposable.txt', entries: 1, changed_at: changedAt.toISOString(), age_days: 2 },
    ]);
  });

  it('has the day and the age of each list of the release', async () => {
    const { lists } = await statusWith({ live: live() });
    const { published, published_on: days, published_age_days: ages } = lists;
    expect(Object.keys(days)).toEqual(Object.keys(published));
    expect(Object.keys(ages)).toEqual(Object.keys(published));
    for (const [name, day] of Object.entries<string>(days)) {
      // All count to the same today.
      expect(ages[name] + Date.parse(day) / 86_400_000).toBe(
        ages.free_domains + Date.parse(days.free_domains) / 86_400_000,
      );
    }
  });

  it('has what doctor finds wrong, with its advice', async () => {
    expect(await doctorOf({ live: live({ helo: 'nowhere.test', listsFolder: '/does/not/exist' }) })).toEqual({
      ok: false,
      findings: ['helo', 'listsFolder'].map((check) => ({
        ...{ check, status: 'warning', text: expect.any(String), advice: expect.stringMatching(/^[A-Z]/) },
      })),
    });
  });

  it('says that doctor finds nothing wrong', async () => {
    expect(await doctorOf({ live: live() })).toEqual({ ok: true, findings: [] });
  });

  it('does not run doctor without live verification', async () => {
    expect(await doctorOf({})).toBeNull();
  });
});
