/** The way to this version and back in docs/upgrading.md, with the program of the latest release: each command as it stands there. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS } from '../../src/service/database/migrate.ts';
import { adminOn, createFolder } from '../cli/run-admin.ts';
import { type TestDatabase, testDatabase } from '../service/support/database.ts';
import { PATIENTLY } from '../service/support/patience.ts';
import { launch, listening, untilReady } from '../service/support/service-process.ts';
import { restoreRelease } from '../service/upgrade/restore-release.ts';
import { HERE, PROGRAMS, unpackRelease } from '../service/upgrade/unpack-release.ts';
import { createTerminal, shellCommands, withoutNpm } from './terminal.ts';

vi.setConfig({ expect: { poll: PATIENTLY } });

const PAGE = 'docs/upgrading.md';
const [backup, status, migrate] = shellCommands(PAGE, 'Upgrade the service') as [string, string, string];
const [restore, ...others] = shellCommands(PAGE, 'Rollback') as [string];
/** What the page says of an older version, with any name of a migration. */
const refusal = /^> (The database has migration .*)$/m.exec(readFileSync(PAGE, 'utf8'))![1]!;
const NAMES = Object.keys(MIGRATIONS);

it.each(PROGRAMS)('leads back to the release with migration %s, and to all that it had', async (release) => {
  expect(others).toEqual([]);
  const { keys } = JSON.parse(readFileSync(`${HERE}/${release}.json`, 'utf8'));
  const old = await testDatabase(onTestFinished, { empty: true });
  await restoreRelease(old.db, release);

  const folder = createFolder(onTestFinished);
  const config = join(folder.path, 'service.json');
  const terminal = createTerminal();
  terminal.set('service.json', config);
  terminal.set('/var/backups', folder.path);
  const nameInConfig = ({ url }: TestDatabase) =>
    writeFileSync(config, JSON.stringify({ keys: [], database: url }));
  nameInConfig(old);

  const program = unpackRelease(release);
  const inOlderFolder = async (command: string) => {
    const line = withoutNpm(command).replace('service.json', config).replace('/var/backups', folder.path);
    return JSON.parse((await promisify(execFile)('bash', ['-c', line], { cwd: program })).stdout);
  };
  const olderService = [join(program, 'dist/service/main.js'), '--config', config, '--port', '0'];

  expect(await inOlderFolder(backup)).toMatchObject({ schema: release });
  await terminal.run(migrate);
  expect(JSON.parse(await terminal.run(status))).toMatchObject({ schema: NAMES.at(-1) });
  const admin = adminOn(old);
  const [before] = await admin.listed('account', 'list');
  await admin.done('account', 'add-credits', '--email', before!.owner_email, '--amount', '7');

  const refused = launch(process.execPath, olderService);
  expect(await refused.exit).toBe(1);
  expect(refused.errors()).toContain(refusal.replace('…', NAMES[NAMES.indexOf(release) + 1]!));

  nameInConfig(await testDatabase(onTestFinished, { empty: true }));
  expect(await inOlderFolder(restore)).toMatchObject({ restored: { accounts: 1 }, migrated: [] });
  const { address } = await listening(process.execPath, olderService);
  await untilReady(address);
  expect(await inOlderFolder(status)).toMatchObject({ schema: release });
  const account = await fetch(`${address}/v1/account`, { headers: { Authorization: `Bearer ${keys.live}` } });
  expect(await account.json()).toMatchObject({ available_credits: before!.available_credits });
});
